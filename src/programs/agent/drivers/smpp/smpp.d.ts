/** smpp 0.5.1 has no types. Only `session.ts` uses it, and declares the types it needs. */
declare module 'smpp'
