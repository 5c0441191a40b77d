import type { HtmlTagDescriptor, Plugin, Rollup } from 'vite'

const INBOX = 'pages/conversations/page.tsx'
const CATALOGUE = /language\/([a-z]+)\/(?:first|pages)\.json$/

/**
 * Lets the browser load the code and styles of the inbox beside the first files, not after it has run them.
 * Most visits open the inbox, and most other pages use the same parts. The links of catalogues have the
 * language as `hreflang`: the server omits those of other languages.
 */
export function makePreloadPlugin(): Plugin {
  return {
    name: 'preload-inbox',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {}, filename }) {
        if (!filename.endsWith('/index.html')) return
        const chunks = addImportedChunks(bundle, isInbox)
        const styles = chunks.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])])
        // the largest first: HTTP/1.1 loads six files at once
        const code = chunks
          .toSorted((a, b) => b.code.length - a.code.length)
          .map(({ fileName }) => fileName)
        return [
          ...code.map((file) => makeLinkTag(file, { rel: 'modulepreload' })),
          ...styles.map(linkStyle),
          ...linkCatalogues(bundle),
        ].filter(({ attrs }) => !html.includes(String(attrs?.href)))
      },
    },
  }
}

const isInbox = ({ facadeModuleId }: Rollup.OutputChunk) => facadeModuleId?.endsWith(INBOX) === true

/** A chunk, and all that it imports. */
function addImportedChunks(
  bundle: Rollup.OutputBundle,
  isWanted: (chunk: Rollup.OutputChunk) => boolean,
): readonly Rollup.OutputChunk[] {
  const found = new Set<Rollup.OutputChunk>()
  const add = (file: Rollup.OutputBundle[string] | undefined) => {
    if (file?.type !== 'chunk' || found.has(file)) return
    found.add(file)
    for (const name of file.imports) add(bundle[name])
  }
  for (const file of Object.values(bundle)) if (file.type === 'chunk' && isWanted(file)) add(file)
  return [...found]
}

function linkCatalogues(bundle: Rollup.OutputBundle): HtmlTagDescriptor[] {
  return Object.values(bundle).flatMap((file) => {
    const found = file.type === 'chunk' && CATALOGUE.exec(file.facadeModuleId ?? '')
    return found ? [makeLinkTag(file.fileName, { rel: 'modulepreload', hreflang: found[1]! })] : []
  })
}

const linkStyle = (file: string) => makeLinkTag(file, { rel: 'preload', as: 'style' })

const makeLinkTag = (file: string, attrs: Readonly<Record<string, string>>): HtmlTagDescriptor => ({
  tag: 'link',
  attrs: { ...attrs, crossorigin: true, href: `./${file}` },
  injectTo: 'head',
})
