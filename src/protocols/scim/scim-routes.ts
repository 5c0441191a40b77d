import { z } from 'zod'
import { type Bound, WITHOUT_ROWS } from '../../http/bounds.ts'
import { makeRoutes, makeUndescribedRow } from '../../http/make-routes.ts'
import type { Operation } from '../../http/openapi/describe-operations.ts'
import type { Ctx } from '../../http/request-context.ts'
import { describeRoute } from '../describe-route.ts'
import type { Protocol } from '../gateway-services.ts'
import { allowDirectory, type DirectoryCaller } from './directory.ts'
import { SCIM_TYPE, scimRefusal, sendScim, sendScimError } from './scim-errors.ts'

/** A group of 1,000 members as Okta sends it, with addresses and names. */
const MAX_BODY_BYTES = 512 << 10

const OF_DIRECTORY: Bound = {
  cost: 'people and groups of the directory; a group: its members',
  by: '1,000 people and 100 groups of an account; 2,000 operations; roles of 25 people a transaction',
}

const RESOURCE = z.looseObject({ schemas: z.array(z.string()) }).meta({ id: 'ScimResource' })
const ERROR = z
  .object({
    schemas: z.array(z.string()),
    status: z.string(),
    scimType: z.string().optional(),
    detail: z.string(),
  })
  .meta({ id: 'ScimError' })

/** The same answers with the media type of SCIM. */
const ofScim = (answers: Operation['responses'] = {}) =>
  Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => {
      const { 'application/json': json, ...others } = answer.content ?? {}
      return [status, json ? { ...answer, content: { ...others, [SCIM_TYPE]: json } } : answer]
    }),
  )

type Run = (caller: DirectoryCaller, id: string) => unknown

interface Route {
  readonly id: string
  readonly summary: string
  readonly status?: 200 | 201 | 204
  readonly hasBody?: true
  readonly query?: readonly string[]
  readonly bound?: Bound
}

const defineRoute = (route: Route, run: Run) => {
  const { id, summary, status = 200, hasBody, query, bound = OF_DIRECTORY } = route
  const answer =
    status === 204 ? ([status, 'Done.'] as const) : ([status, 'Done.', RESOURCE] as const)
  const described = describeRoute({
    id: `scim${id}`,
    summary,
    answer,
    error: ERROR,
    ...(query && { query }),
    ...(hasBody && { body: RESOURCE }),
  })
  const { fails, responses } = described.describe
  return {
    permission: allowDirectory(hasBody),
    bound,
    ...(hasBody && { maxBytes: MAX_BODY_BYTES }),
    describe: {
      ...described.describe,
      fails: ofScim(fails as Operation['responses']),
      responses: ofScim(responses),
    },
    send: (c: Ctx, json: string) => sendScim(c, json, status),
    run: (caller: DirectoryCaller, _: Ctx, last: string) => run(caller, last),
  }
}

const SHOWN = ['attributes', 'excludedAttributes']
const LISTED = ['filter', 'startIndex', 'count', ...SHOWN]

// loaded by the first request of a directory
const users = () => import('./users.ts')
const groups = () => import('./groups.ts')
const metadata = () => import('./metadata.ts')
const baseOf = ({ services: { config } }: DirectoryCaller) => `${config.publicUrl}/scim/v2`

/** Answers 405 to methods that change what a server tells of itself: RFC 7644, section 4. */
const refuseOthers = () =>
  makeUndescribedRow(allowDirectory(), WITHOUT_ROWS, (_, c) => {
    c.header('allow', 'GET')
    throw scimRefusal(405, 'Only GET is allowed here')
  })

const aboutRoutes = (kind: 'Schemas' | 'ResourceTypes', summary: string) => ({
  [`GET /scim/v2/${kind}`]: defineRoute(
    { id: `List${kind}`, summary, bound: WITHOUT_ROWS },
    async (caller) => (await metadata()).listAbout(kind, baseOf(caller)),
  ),
  [`GET /scim/v2/${kind}/:id`]: defineRoute(
    { id: `Read${kind}`, summary, bound: WITHOUT_ROWS },
    async (caller, id) => (await metadata()).readAbout(kind, baseOf(caller), id),
  ),
  [`ALL /scim/v2/${kind}`]: refuseOthers(),
})

const ROUTES = makeRoutes('scim', {
  'GET /scim/v2/Users': defineRoute(
    { id: 'ListUsers', summary: 'List people of the directory', query: LISTED },
    async (caller) => (await users()).listUsers(caller),
  ),
  'POST /scim/v2/Users': defineRoute(
    { id: 'CreateUser', summary: 'Add a person', status: 201, hasBody: true },
    async (caller) => (await users()).createUser(caller),
  ),
  'GET /scim/v2/Users/:id': defineRoute(
    { id: 'ReadUser', summary: 'Read a person', query: SHOWN },
    async (caller, id) => (await users()).readUser(caller, id),
  ),
  'PUT /scim/v2/Users/:id': defineRoute(
    { id: 'ReplaceUser', summary: 'Replace a person', hasBody: true },
    async (caller, id) => (await users()).replaceUser(caller, id),
  ),
  'PATCH /scim/v2/Users/:id': defineRoute(
    { id: 'PatchUser', summary: 'Change a person', hasBody: true },
    async (caller, id) => (await users()).patchUser(caller, id),
  ),
  'DELETE /scim/v2/Users/:id': defineRoute(
    { id: 'DeleteUser', summary: 'Remove a person', status: 204 },
    async (caller, id) => (await users()).deleteUser(caller, id),
  ),
  'GET /scim/v2/Groups': defineRoute(
    { id: 'ListGroups', summary: 'List groups of the directory', query: LISTED },
    async (caller) => (await groups()).listGroups(caller),
  ),
  'POST /scim/v2/Groups': defineRoute(
    { id: 'CreateGroup', summary: 'Add a group', status: 201, hasBody: true },
    async (caller) => (await groups()).createGroup(caller),
  ),
  'GET /scim/v2/Groups/:id': defineRoute(
    { id: 'ReadGroup', summary: 'Read a group', query: SHOWN },
    async (caller, id) => (await groups()).readGroup(caller, id),
  ),
  'PUT /scim/v2/Groups/:id': defineRoute(
    { id: 'ReplaceGroup', summary: 'Replace a group', hasBody: true },
    async (caller, id) => (await groups()).replaceGroup(caller, id),
  ),
  'PATCH /scim/v2/Groups/:id': defineRoute(
    { id: 'PatchGroup', summary: 'Change a group', status: 204, hasBody: true },
    async (caller, id) => (await groups()).patchGroup(caller, id),
  ),
  'DELETE /scim/v2/Groups/:id': defineRoute(
    { id: 'DeleteGroup', summary: 'Remove a group', status: 204 },
    async (caller, id) => (await groups()).deleteGroup(caller, id),
  ),
  'GET /scim/v2/ServiceProviderConfig': defineRoute(
    { id: 'ReadConfig', summary: 'Read what this server supports', bound: WITHOUT_ROWS },
    async (caller) => (await metadata()).makeProviderConfig(baseOf(caller)),
  ),
  'ALL /scim/v2/ServiceProviderConfig': refuseOthers(),
  ...aboutRoutes('ResourceTypes', 'Describe users and groups'),
  ...aboutRoutes('Schemas', 'Describe the attributes that are kept'),
})

const DESCRIPTION =
  'SCIM 2.0 (RFC 7643, 7644): a directory such as Entra ID, Okta or authentik adds and removes members of an account, below `/scim/v2`.'

/** SCIM 2.0, by which the directory of an account makes and removes its members. */
export const SCIM: Protocol = {
  group: 'scim',
  roots: ['/scim'],
  errorForm: sendScimError,
  rows: ROUTES,
  tags: [{ name: 'scim', description: DESCRIPTION }],
}
