import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER } from './folder.ts'

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
export const VENDEL_NPM_FILE = join(VENDEL_NPM_FOLDER, 'node_modules', 'vendel-sdk', 'dist', 'index.js')
const VENDEL = { npm: VENDEL_NPM_FILE, python: join(DOORS_PYTHON, 'vendel_sdk') }
export const hasVendel = (language: keyof typeof VENDEL) => existsSync(VENDEL[language])
