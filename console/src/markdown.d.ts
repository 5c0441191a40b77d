/** A Markdown page as the sections that the build makes of it (console/markdown.ts). */
declare module '*.md' {
  export const sections: readonly {
    /** The name of the heading in links, as on GitHub; of a translation that of the English heading. */
    readonly id: string
    readonly title: string
    readonly html: string
  }[]
}
