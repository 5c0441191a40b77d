import { sendGatewayError } from '../http/middleware/answer-errors.ts'
import type { DescribedRoutes } from '../http/openapi/document.ts'
import { APIS, describePaths } from './features.ts'

/** Our roots whose errors have a code, as in a sentence. */
function listCodeRoots(): string {
  const apis = APIS.filter(({ isOwn, errorForm }) => isOwn && errorForm === sendGatewayError)
  const roots = apis.flatMap(({ roots }) => roots.map((root) => `\`${root}\``))
  return `${roots.slice(0, -1).join(', ')} and ${roots.at(-1)}`
}

const ABOUT = `An SMS gateway that you run yourself. A web app sends with one POST; texts go out through your own phones and modems; every message, contact,
template and device is a record that any PocketBase client lists, filters and edits.

**Sign in** with \`POST /api/collections/users/auth-with-password\` and send the token as \`Authorization: Bearer TOKEN\`. For sending alone, create a record of
\`api_keys\` and send its key as \`X-API-Key\`.

**Errors** of ${listCodeRoots()} are \`{"error", "message"}\`: the first for programs, the second for people. Those of \`/2010-04-01\` are Twilio's, those of doors their own. All others are PocketBase's
\`{"data", "message", "status"}\`.

**Dates** are UTC, as \`2026-11-20 07:00:00.000Z\`; empty when there is none.`

/** All routes that OpenAPI describes. */
export const DESCRIBED: readonly DescribedRoutes[] = [
  { about: ABOUT, paths: describePaths },
  ...APIS,
]
