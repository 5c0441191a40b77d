/** smpp 0.5.1 has no types. Only `library.ts` uses it, and declares the types it needs. */
declare module 'smpp'
