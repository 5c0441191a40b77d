import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** What others made for PocketBase, and examples of what GitHub posts, in the versions that we test with. */
export const TOOLS = {
  'pocketbase-typegen': '1.5.0',
  'refine-pocketbase': '1.0.3',
  pocketbase: '0.28.1',
  '@octokit/webhooks-examples': '7.6.1',
} as const

/** A project of its own: together they weigh more than all that we depend on. */
export const FOLDER = join(
  import.meta.dirname,
  '..',
  '..',
  'node_modules',
  '.cache',
  'pocketbase-tools',
)

/** A file of one of the tools. */
export const toolFile = (path: string) => join(FOLDER, 'node_modules', path)

export const areInstalled = () => Object.keys(TOOLS).every((name) => existsSync(toolFile(name)))

/** Tools that send by SMSEagle's, Kannel's and sms-gateway's APIs, in the versions that we test with. */
export const DOORS_PYPI = ['apprise==2.3.0'] as const
/** Novu's providers without what their other forty need. */
export const DOORS_NPM = {
  '@novu/stateless': '0.24.2',
  axios: '1.6.7',
  dayjs: '1.11.19',
  'http-proxy-agent': '7.0.2',
  'https-proxy-agent': '7.0.6',
  jsonata: '2.1.0',
  liquidjs: '10.26.0',
  'socks-proxy-agent': '8.0.5',
} as const
export const NOVU = '@novu/providers@0.24.2'

export const DOORS_FOLDER = join(FOLDER, '..', 'door-clients')
export const DOORS_PYTHON = join(DOORS_FOLDER, 'python')
export const novuFile = (name: string) =>
  join(DOORS_FOLDER, 'package', 'build', 'main', 'lib', name, `${name}.provider.js`)
export const hasNovu = () => existsSync(novuFile('kannel'))
export const hasApprise = () => existsSync(join(DOORS_PYTHON, 'apprise'))

/** Vendel's SDKs. */
export const VENDEL_NPM = { 'vendel-sdk': '0.2.0' } as const
export const VENDEL_PYPI = ['vendel-sdk==0.5.0'] as const
export const VENDEL_NPM_FOLDER = join(FOLDER, '..', 'vendel-sdk')
export const VENDEL_NPM_FILE = join(
  VENDEL_NPM_FOLDER,
  'node_modules',
  'vendel-sdk',
  'dist',
  'index.js',
)
const VENDEL = { npm: VENDEL_NPM_FILE, python: join(DOORS_PYTHON, 'vendel_sdk') }
export const hasVendel = (language: keyof typeof VENDEL) => existsSync(VENDEL[language])

/** Clients that SMSGate's vendor publishes, in the versions that we test with. */
export const SMSGATE_NPM = { 'android-sms-gateway': '3.0.0' } as const
export const SMSGATE_PYPI = [
  'android-sms-gateway==4.3.3',
  'requests==2.32.5',
  'httpx==0.28.1',
] as const

/** A project of their own, with the packages of Python in a folder of it. */
export const SMSGATE_FOLDER = join(FOLDER, '..', 'smsgate-clients')
export const PYTHON_FOLDER = join(SMSGATE_FOLDER, 'python')

export const npmClient = () =>
  join(SMSGATE_FOLDER, 'node_modules', 'android-sms-gateway', 'dist', 'index.js')
export const hasNpmClient = () => existsSync(npmClient())
export const hasPythonClient = () =>
  ['android_sms_gateway', 'requests', 'httpx'].every((name) =>
    existsSync(join(PYTHON_FOLDER, name)),
  )

/** An SMPP server that others wrote, and the codec of its texts; in a folder of Python's. */
export const SMPP_PYPI = ['smpp.twisted3==0.8', 'gsm0338==1.1.0'] as const
export const SMPP_FOLDER = join(FOLDER, '..', 'smpp-server')

/** Another, in Java: a folder of Maven's, with all that it needs. */
export const SMPP_MAVEN = {
  groupId: 'com.fizzed',
  artifactId: 'ch-smpp',
  version: '5.0.9',
} as const
export const SMPP_JAVA_FOLDER = join(FOLDER, '..', 'smpp-server-java')

/** Auth servers, or their part that sends codes, in the versions that we test with. */
export const AUTH_NPM = { '@logto/connector-http-sms': '0.2.1', 'better-auth': '1.7.25' } as const
export const AUTH_FOLDER = join(FOLDER, '..', 'auth-servers')
export const hasAuthServers = () =>
  Object.keys(AUTH_NPM).every((name) => existsSync(join(AUTH_FOLDER, 'node_modules', name)))
