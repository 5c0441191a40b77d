import type { Collection } from '../../collections/collection.ts'

/** Names that rate limits use for a collection's routes. `*` matches one path segment. Contract 8.3 */
const ACTIONS: Readonly<Record<string, readonly string[]>> = {
  'GET records': ['list'],
  'GET records/*': ['view'],
  'POST records': ['create'],
  'PATCH records/*': ['update'],
  'DELETE records/*': ['delete'],
  'GET auth-methods': ['listAuthMethods'],
  'POST auth-refresh': ['authRefresh'],
  'POST auth-with-password': ['authWithPassword', 'auth'],
  'POST auth-with-oauth2': ['authWithOAuth2', 'auth'],
  'POST auth-with-otp': ['authWithOTP', 'auth'],
  'POST request-otp': ['requestOTP'],
  'POST request-password-reset': ['requestPasswordReset'],
  'POST confirm-password-reset': ['confirmPasswordReset'],
  'POST request-verification': ['requestVerification'],
  'POST confirm-verification': ['confirmVerification'],
  'POST request-email-change': ['requestEmailChange'],
  'POST confirm-email-change': ['confirmEmailChange'],
}

const IN_COLLECTION = /^\/api\/collections\/([^/]+)\/(.+)$/
const FILE = /^\/api\/files\/([^/]+)\/[^/]+\/[^/]+$/

/** The collection and the actions of a path; nothing if the route belongs to no collection. */
function readPath(method: string, path: string) {
  const asGet = method === 'HEAD' ? 'GET' : method
  const [, collection, rest] = IN_COLLECTION.exec(path) ?? []
  if (collection && rest) {
    const actions = ACTIONS[`${asGet} ${rest.replace(/^records\/[^/]+$/, 'records/*')}`]
    return actions && { collection, actions }
  }
  const [, ofFile] = FILE.exec(path) ?? []
  return ofFile && asGet === 'GET' ? { collection: ofFile, actions: ['file'] } : undefined
}

/** Labels that may limit a request, the most specific first. `countedAs`: set for a collection's route. */
export function rateLimitLabels(
  method: string,
  path: string,
  find: (nameOrId: string) => Collection | undefined,
): { labels: string[]; countedAs: string } {
  const named = readPath(method, path)
  const collection = named && find(named.collection)
  const plain = [`${method} ${path}`, path]
  if (!collection) return { labels: plain, countedAs: '' }
  const own = named.actions.map((action) => `${collection.name}:${action}`)
  const any = named.actions.map((action) => `*:${action}`)
  return { labels: [...own, ...any, ...plain], countedAs: `${collection.id} ${named.actions.join(' ')}` }
}
