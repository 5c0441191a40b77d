import { readFileSync } from 'node:fs'
import { type Furnished, STRANGER } from './furnished.ts'

const PAGES = readFileSync(new URL('../../../console/src/pages.ts', import.meta.url), 'utf8')

/**
 * The paths of all pages of a role, as console/src/pages.ts names them, with ids in the places of their
 * parameters. Throws at a page whose parameter has no value here.
 */
export function pagePaths(role: 'user' | 'superuser', ids: Furnished): string[] {
  const values: Readonly<Record<string, string>> = {
    '/campaigns/:id': ids.campaign,
    '/collections/:name': 'contacts',
    '/contacts/:id': ids.contact,
    '/conversations/:number': encodeURIComponent(STRANGER),
    '/devices/:id': ids.device,
    '/devices/:id/carrier': ids.device,
    '/groups/:id': ids.group,
    '/help/:section': 'send-a-text',
    '/hooks/:id': ids.hook,
    '/messages/:id': ids.failed,
    '/personal-data/:number': encodeURIComponent(STRANGER),
    '/personal-data/requests/:id': ids.request,
    '/webhooks/:id': ids.webhook,
  }
  return [...PAGES.matchAll(/makePage\('[\w-]+', '([^']+)'[^}]*?for: '(\w+)'/g)]
    .filter(([, , whose]) => whose === role || whose === 'both')
    .map(([, path]) => path!.replace(/:\w+/, () => values[path!] ?? missing(path!)))
}

function missing(path: string): never {
  throw new Error(`test/browser/support/page-paths.ts has no value for the parameter of ${path}`)
}
