import { spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, installOnce, PROJECT } from '../generators/tools.ts'
import { takeFaults } from '../support/answers/answers.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { must, startServerWithDevices } from '../support/server/server-with-devices.ts'
import { makeKey } from '../support/twilio/twilio-fixture.ts'

/** For each route and phase. FUZZ_EXAMPLES changes it. */
const EXAMPLES = process.env.FUZZ_EXAMPLES ?? '10'
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
]
/** Routes that are not asked, by their reasons. */
const LEFT_OUT = {
  'it never ends': ['listen', 'deviceEvents'],
  'it ends the own session, or removes the own key or account': [
    'deleteUsers',
    'deleteApiKeys',
    'deleteDevices',
    'endSession',
    'endOtherSessions',
    'delete_api_3rdparty_v1_devices_id_',
  ],
  'it answers 501, as described': ['get_api_3rdparty_v1_logs'],
  'the account has no carriers': ['createCarrier', 'changeCarrier'],
}

// calls to addresses that Schemathesis invents end at a closed port of this machine
const server = await startServerWithDevices({
  HTTPS_PROXY: 'http://127.0.0.1:9',
  PROXY_NAMES: '*',
})

/** An account for this run alone, and its credentials by the names of the security schemes. */
async function makeCredentials() {
  const user = await server.makeUser()
  const phone = await server.pair(user)
  const create = (collection: string, values: object) =>
    must(user, 'POST', `/api/collections/${collection}/records`, { user: user.id, ...values })
  const { key } = await create('api_keys', { name: 'shop', scopes: ['all:any'] })
  const twilio = await makeKey(user, { scopes: ['all:any'] })
  const hook = await create('hooks', { name: 'Backup', preset: 'text', recipients: ['+4911111'] })
  const login = { username: user.id, password: key }
  return {
    token: { bearer: user.token },
    deviceToken: { bearer: phone.token },
    smsgateLogin: login,
    smsgateToken: { bearer: key },
    hook: { bearer: hook.secret },
    hookLogin: { username: 'hook', password: hook.secret },
    apiKey: { api_key: key },
    accessToken: { api_key: key },
    twilio: { username: twilio.account_sid, password: twilio.auth_token },
  }
}

const writeToml = (credentials: Readonly<Record<string, object>>) =>
  Object.entries(credentials)
    .map(([scheme, values]) => {
      const lines = Object.entries(values).map(([name, value]) => `${name} = "${value}"`)
      return [`[auth.openapi.${scheme}]`, ...lines].join('\n')
    })
    .join('\n')

/** Faults of equal kind once: those of one route, without the values in them. */
const listKinds = (faults: readonly string[]) => [
  ...new Map(
    faults.map((fault) => [
      fault
        .split('\n')[0]!
        .replace(/\?.*? →/, ' →')
        .replace(/[0-9a-z]{15}/g, 'ID'),
      fault,
    ]),
  ).values(),
]

test('no request that Schemathesis makes of the document gets a 5xx or an undescribed answer', async () => {
  installOnce('schemathesis')
  const folder = temporaryFolder()
  const config = join(folder, 'schemathesis.toml')
  writeFileSync(config, writeToml(await makeCredentials()))
  const document = join(folder, 'openapi.json')
  writeFileSync(document, await (await fetch(`${server.url}/api/openapi.json`)).text())
  const options = {
    url: server.url,
    phases: 'fuzzing,stateful',
    mode: 'all',
    checks: CHECKS.join(','),
    workers: '2',
    'max-examples': EXAMPLES,
    'request-timeout': '60',
    'max-redirects': '0',
    'suppress-health-check': 'all',
  }
  const args = [
    ...[
      '--config-file',
      config,
      '--no-color',
      'run',
      document,
      '--continue-on-failure',
      '--no-shrink',
    ],
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    ...Object.values(LEFT_OUT).flatMap((ids) =>
      ids.flatMap((id) => ['--exclude-operation-id', id]),
    ),
  ]
  const reports = join(PROJECT, 'coverage', 'fuzz')
  mkdirSync(reports, { recursive: true })
  const log = createWriteStream(join(reports, 'schemathesis.txt'))
  const child = spawn(join(folderOf('schemathesis'), 'bin', 'schemathesis'), args, { cwd: folder })
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  log.end()
  const faults = listKinds(takeFaults())
  writeFileSync(join(reports, 'faults.txt'), faults.join('\n'))
  expect(faults.slice(0, 20)).toEqual([])
  expect(code, 'see coverage/fuzz/schemathesis.txt').toBe(0)
})
