export const CLIENT_PATH = '/api/3rdparty/v1'

const PREFIX = /^(?:\/api)?\/3rdparty\/v1(?=\/|$)/
const SINGULAR = /^\/(message|device|webhook)(?=\/|$)/
/** Published clients use this path for the export; SMSGate's server has it below `/messages`. */
const EXPORT = /^\/inbox\/export$/

/** The path of the route for a request. Replaces SMSGate's other prefix and spellings. */
export function toCanonicalPath(path: string): string {
  const prefix = PREFIX.exec(path)?.[0]
  if (prefix === undefined) return path
  const rest = path.slice(prefix.length).replace(/\/$/, '')
  return CLIENT_PATH + rest.replace(SINGULAR, '/$1s').replace(EXPORT, '/messages/inbox/export')
}

/** The API's prefix as a request's path spells it, for URLs in the answer. */
export const readPathPrefix = (path: string): string => PREFIX.exec(path)?.[0] ?? CLIENT_PATH
