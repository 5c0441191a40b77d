/** A Markdown page, which the build splits into sections (console/markdown.ts). */
declare module '*.md' {
  export const sections: readonly {
    /** The heading's anchor, as on GitHub. In a translation, the anchor of the English heading. */
    readonly id: string
    readonly title: string
    readonly html: string
  }[]
}

/** A file, imported as text. */
declare module '*?raw' {
  const text: string
  // biome-ignore lint/style/noDefaultExport: Vite makes one
  export default text
}
/** A grammar, which the build compiles to a parser (console/grammar.ts). */
declare module '*.peggy' {
  export function parse(text: string): unknown
}
/** The package has no types. */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  // biome-ignore lint/style/noDefaultExport: it has no other
  export default function SwaggerUI(options: Readonly<Record<string, unknown>>): void
}
