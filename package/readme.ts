import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const HOME = join(dirname(fileURLToPath(import.meta.url)), '..')
/** Where README.md of the clone is kept while the one with absolute links is packed. */
export const README_OF_CLONE = join(HOME, 'dist/README.clone.md')

/**
 * The Markdown with links that lead to the repository at this version, because the package lacks the pages.
 * Unchanged if package.json of `home` names no repository, as in a clone.
 */
export function linkAbsolutely(markdown: string, home = HOME): string {
  const { homepage, version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
  if (!homepage) return markdown
  const at = `v${version}`
  const repository = homepage.replace(/#.*/, '')
  const absolute = (link: string) =>
    /\.(png|webp)$/.test(link)
      ? `${repository.replace('github.com', 'raw.githubusercontent.com')}/${at}/${link}`
      : `${repository}/blob/${at}/${link}`
  return markdown
    .replace(/\]\((?!https?:|#)([^)\s]+)\)/g, (_, link) => `](${absolute(link)})`)
    .replace(/ src="(?!https?:)([^"]+)"/g, (_, link) => ` src="${absolute(link)}"`)
}
