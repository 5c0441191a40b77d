/** smpp 0.5.1 brings no types: `library.ts`, which alone uses it, has those of what it uses. */
declare module 'smpp'
