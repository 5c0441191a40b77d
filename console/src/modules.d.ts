/** A Markdown page as the sections that the build makes of it (console/markdown.ts). */
declare module '*.md' {
  export const sections: readonly {
    /** The heading's anchor, as on GitHub. In a translation, the anchor of the English heading. */
    readonly id: string
    readonly title: string
    readonly html: string
  }[]
}

/** The text of a file. */
declare module '*?raw' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: Vite makes one
  export default text
}
/** A grammar as the parser that Vite makes of it (grammar.ts). */
declare module '*.peggy' {
  export function parse(text: string): unknown
}
/** The package has no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  // biome-ignore lint/style/noDefaultExport: it has no other
  export default function SwaggerUI(options: Readonly<Record<string, unknown>>): void
}
