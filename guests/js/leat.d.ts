// Types for leat's script transforms. Put this file beside your script, or name it in
// tsconfig.json ("types"), and an editor completes msg, ctx and what you return:
//
//   /// <reference path="./leat.d.ts" />
//   export default function (msg: leat.Message<Order>, ctx: leat.Context): leat.Result { ... }

declare namespace leat {
  /** Anything that JSON can say. */
  type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

  /** One message. Assign payload, meta and key; read the rest. */
  interface Message<Payload = any> {
    /** Stable over redelivery and replay. */
    readonly id: string;
    /** The source node that emitted it. */
    readonly source: string;
    /** A lazy view of the JSON payload; what you do not touch leaves byte for byte. */
    payload: Payload;
    /** Annotations. Names that start with "leat." belong to the engine. */
    meta: { [name: string]: string };
    /** Orders messages at a sink; null for none. */
    key: string | null;
  }

  /** A message made by hand; what is left out is taken from the input. */
  interface NewMessage {
    payload: unknown;
    meta?: { [name: string]: string | number | boolean };
    key?: string | null;
  }

  /** Logs at a level; capped by budget.log. */
  interface Log {
    (...values: unknown[]): void;
    debug(...values: unknown[]): void;
    info(...values: unknown[]): void;
    warn(...values: unknown[]): void;
    error(...values: unknown[]): void;
  }

  /** The transform's second argument; frozen. */
  interface Context {
    readonly constants: { readonly [name: string]: any };
    readonly parameters: { readonly [name: string]: any };
    readonly log: Log;
  }

  /** One message, or a plain object that becomes the payload of one. */
  type Output = Message | NewMessage | object;

  /** null filters; an array is as many messages. Returning nothing is a failure. */
  type Result = null | Output | Output[] | Promise<null | Output | Output[]>;

  type Transform<Payload = any> = (msg: Message<Payload>, ctx: Context) => Result;
}

/** Goes to the node's capped log. */
declare const console: leat.Log & { log(...values: unknown[]): void; trace(...values: unknown[]): void };

declare namespace leat {
  /** A record of a topic, as a causal stage sees it. */
  interface Record<Value = any> {
    readonly topic: string;
    readonly partition: number;
    readonly offset: number;
    /** Milliseconds since 1970, UTC. */
    readonly timestamp: number;
    /** Text where the bytes are UTF-8, {base64} where they are not. */
    readonly key: string | { base64: string } | null;
    readonly value: Value;
    readonly headers: { readonly [name: string]: string | { base64: string } | null };
  }

  /** What a stage sends on; without a key it has that of the record. */
  interface Emission {
    to: string;
    key?: string | { base64: string } | null;
    value: unknown;
    headers?: { [name: string]: string | { base64: string } | null };
  }

  /** What a fold returns; a state of null deletes the key's state. */
  interface Folded<State = any> {
    state: State | null;
    emit?: Emission[];
  }

  /** export function handle(msg, ctx): null for nothing. */
  type Handle<Value = any> = (msg: Record<Value>, ctx: Context) => null | Emission | Emission[] | Promise<null | Emission | Emission[]>;

  /** export function fold(state, msg, ctx): state is null at first; returning null deletes it. */
  type Fold<State = any, Value = any> = (state: State | null, msg: Record<Value>, ctx: Context) => null | Folded<State> | Promise<null | Folded<State>>;
}
