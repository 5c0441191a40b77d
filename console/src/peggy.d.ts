/** A grammar as the parser that Vite makes of it (grammar.ts). */
declare module '*.peggy' {
  export function parse(text: string): unknown
}
