// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	return {payload:{toJSON(){for(;;);}}}
}
