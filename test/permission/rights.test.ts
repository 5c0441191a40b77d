import { hasScope } from '../../src/engine/request/scopes.ts'
import { allowSuperuser } from '../../src/http/allow-callers.ts'
import { SECURITY_REQUIREMENTS } from '../../src/http/openapi/security.ts'
import { FEATURES } from '../../src/main/features.ts'
import { PROTOCOLS } from '../../src/protocols/protocols.ts'
import { PROMISES } from './promises.ts'
import { isIn, type Who } from './who.ts'

const OWN = FEATURES.flatMap(({ rows = [] }) => rows)
const ROWS = [...OWN, ...PROTOCOLS.flatMap(({ rows }) => rows)]
  // ALL: a refusal of all other methods
  .filter(({ at }) => !at.startsWith('ALL '))
type Row = (typeof ROWS)[number]

/** Credentials for people, by the names of their schemes in OpenAPI. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  token: 'the token of a sign-in',
  deviceToken: 'the token of a device',
  smsgateLogin: "an API key as the password of SMSGate's API",
  smsgateToken: 'a token of that API',
  hook: 'the secret of a hook',
  hookLogin: 'the secret of a hook as a password',
  apiKey: 'an API key in `X-API-Key`',
  accessToken: 'an API key in `access-token`',
  twilio: "the AuthToken of Twilio's API",
}

function showCredentials({ permission: { withCaller, security, scopes } }: Row): string {
  if (withCaller === allowSuperuser.withCaller) return 'The token of a superuser'
  if (security === 'none')
    return scopes
      ? 'An API key in the query or body'
      : 'None, or a secret that the route itself reads'
  const asked: readonly object[] = SECURITY_REQUIREMENTS[security]
  const names = asked.flatMap((each) => Object.keys(each).map((name) => CREDENTIALS[name]!))
  const shown = (
    asked.some((each) => Object.keys(each).length === 0) ? ['none', ...names] : names
  ).join(', or ')
  return `${shown[0]!.toUpperCase()}${shown.slice(1)}`
}

/** Who acts for another's account, who acts for none, and which keys may, as cells of a table. */
const showRights = ({ permission: { least, personal, scopes } }: Row) =>
  `| ${least ?? '–'} | ${personal ? 'yes' : '–'} | ${scopes ? scopes.map((scope) => `\`${scope}\``).join(', ') || 'any' : '–'} |`

const showPath = ({ at }: Row) => `\`${at.replaceAll(/:(\w+)(?:\{.*?\})?/g, '{$1}')}\``

function makeSection(credentials: string, rows: readonly Row[]): string {
  const lines = [...Map.groupBy(rows, showRights)].map(
    ([rights, same]) => `${rights} ${same.map(showPath).join(', ')} |\n`,
  )
  return `## ${credentials}

| members from | alone | scope of a key | routes |
|---|---|---|---|
${lines.join('')}`
}

const makePage = () => `# Who may use each route

<!-- Made by: npx vitest run test/permission/rights.test.ts --project quick --update -->

What the \`permission\` of each route's row says. The rules of a collection, the lists of a key (lines, countries, addresses) and the routes themselves may refuse more.
A heading says which credentials the routes below it read; a column, which of their holders may:

- *members from*: the lowest role of a member who acts for the account; –: no member, whatever the role. The account itself always may;
- *alone*: whether a person who has no account and acts for none may, and one who must first set up a second factor;
- *scope of a key*: the scopes of which an API key needs one; *any*: a key needs none, or a tool or parameter asks for its own; –: no key.

${[...Map.groupBy(ROWS, showCredentials)].map(([credentials, rows]) => makeSection(credentials, rows)).join('\n')}`

test('docs/internals/route-rights.md shows the rights in the rows of all routes', async () => {
  await expect(makePage()).toMatchFileSnapshot('../../docs/internals/route-rights.md')
})

/** Rows with a promise: all but the API of SMSGate's phone, whose line is in others.ts. */
const promised = OWN.filter(({ at }) => !at.includes(' /api/mobile/v1/'))

test('every row of a feature has a promise', () => {
  expect(promised.map(({ at }) => at).sort()).toEqual(Object.keys(PROMISES).sort())
})

/** The lowest role that a promise names. Members, too, if a route for everybody looks at their token. */
function listRoles(promise: Who): readonly (string | undefined)[] {
  if (promise === 'everybody') return [undefined, 'viewer']
  if (promise === 'rules') return ['viewer', 'agent']
  return [['viewer', 'agent', 'admin'].find((role) => isIn(promise, role))]
}

test('the permission of every row names the role of its promise', () => {
  const wrong = promised.filter(
    ({ at, permission }) => !listRoles(PROMISES[at]!).includes(permission.least),
  )
  expect(wrong.map(({ at, permission }) => `${at}: ${permission.least}`)).toEqual([])
})

/** Promises to callers whose credentials the route does not read. */
const OPEN: readonly Who[] = ['everybody', 'strangers', 'invited']

/** The stored scopes of keys, by the names of callers. */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  'default scopes': [],
  'messages:send': ['messages:send'],
  'messages:read': ['messages:read'],
  'messages:list': ['messages:list'],
  'messages:cancel': ['messages:cancel'],
  'inbox:list': ['inbox:list', 'devices:list', 'webhooks:list'],
  'all:any': ['all:any'],
}

test.each(Object.entries(SCOPES))(
  'the rows of features open to a key with %s as promised',
  (name, stored) => {
    const wrong = promised.filter(({ at, permission: { scopes = [] } }) => {
      const promise = PROMISES[at]!
      if (OPEN.includes(promise)) return false
      return scopes.some((scope) => hasScope(stored, scope)) !== isIn(promise, `key: ${name}`)
    })
    expect(wrong.map(({ at }) => at)).toEqual([])
  },
)
