import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER } from './folder.ts'

/** Auth servers, or their part that sends codes, in the versions that we test with. */
export const AUTH_NPM = { '@logto/connector-http-sms': '0.2.1', 'better-auth': '1.7.25' } as const
export const AUTH_FOLDER = join(FOLDER, '..', 'auth-servers')
export const hasAuthServers = () =>
  Object.keys(AUTH_NPM).every((name) => existsSync(join(AUTH_FOLDER, 'node_modules', name)))
