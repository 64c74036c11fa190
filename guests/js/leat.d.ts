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

  /** Bytes: text where they are UTF-8, null for none. */
  type Bytes = string | { base64: string } | null;

  /** A record of a topic, as the guest of a causal stage sees it. Lazy views, as in Message. */
  interface TopicRecord<Value = any> {
    topic: string;
    partition: number;
    offset: number;
    /** When it was appended, in Unix milliseconds. */
    timestamp: number;
    key: Bytes;
    value: Value;
    headers: { [name: string]: Bytes };
  }

  /** A record to append to one of the stage's outputs. Without a key it has that of the record at hand. */
  interface Emission {
    to: string;
    key?: Bytes;
    value: unknown;
    headers?: { [name: string]: Bytes };
  }

  /** The new state of the record's key, null to delete it, and what to emit. null alone deletes and emits nothing. */
  type Folded<State = any> = null | { state: State | null; emit?: Emission[] | null };

  /** `export function fold(state, msg, ctx)`: state is null for a key that has none. */
  type Fold<State = any, Value = any> = (state: State | null, msg: TopicRecord<Value>, ctx: Context) => Folded<State> | Promise<Folded<State>>;

  /** `export function handle(msg, ctx)`: a stage without state. */
  type Handle<Value = any> = (msg: TopicRecord<Value>, ctx: Context) => null | Emission | Emission[] | Promise<null | Emission | Emission[]>;

  type Transform<Payload = any> = (msg: Message<Payload>, ctx: Context) => Result;
}

/** Goes to the node's capped log. Merges with the console that an editor knows, where it does. */
interface Console {
  debug(...values: unknown[]): void;
  error(...values: unknown[]): void;
  info(...values: unknown[]): void;
  log(...values: unknown[]): void;
  trace(...values: unknown[]): void;
  warn(...values: unknown[]): void;
}

declare var console: Console;
