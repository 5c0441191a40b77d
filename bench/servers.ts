import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { freePort } from '../test/support/database/postgres.ts'
import { serve, startProgram } from '../test/support/server/program.ts'
import { ask, type Contender, signIn, tokensBy } from './contender.ts'
import { USERS, type UserName } from './seed.ts'

const BARE = fileURLToPath(new URL('./bare/bare.ts', import.meta.url))

/** Settings of the measured server: devices stay available however long this takes. */
const SETTINGS = {
  HOST: '127.0.0.1',
  LOG_LEVEL: 'warn',
  DEVICE_ONLINE_SECONDS: '86400',
  SMS_MAX_RECIPIENTS: '10000',
}

/**
 * Starts pocketsms as a user does, on the given database, signs the users in and makes an API key. `home`: of
 * another checkout.
 */
export async function startPocketsms(
  database: Record<string, string>,
  name = 'pocketsms',
  home?: string,
): Promise<Contender> {
  const env = { ...SETTINGS, ...database, PORT: String(await freePort()) }
  const server = await serve(env, home)
  const tokens = await tokensBy((user) => signIn(server.url, user))
  const { key } = await ask<{ key: string }>(`${server.url}/api/collections/api_keys/records`, {
    token: tokens.sender,
    body: { user: USERS.sender, name: 'bench' },
  })
  return {
    name,
    url: server.url,
    pid: server.pid,
    speaks: 'records',
    tokens,
    apiKey: key,
    stop: server.stop,
  }
}

/** Starts the bare server of bare.ts on a database of its own. */
export async function startBare(databaseUrl: string): Promise<Contender> {
  const port = await freePort()
  const tokens = await tokensBy(async () => randomBytes(24).toString('hex'))
  const users = Object.entries(tokens).map(([name, token]) => [token, USERS[name as UserName]])
  const env = {
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    TOKENS: JSON.stringify(Object.fromEntries(users)),
  }
  const url = `http://127.0.0.1:${port}`
  const server = await startProgram(process.execPath, [BARE], env, url, '/api/health')
  return {
    name: 'bare',
    url,
    pid: server.pid,
    speaks: 'bare',
    tokens,
    apiKey: tokens.sender,
    stop: server.stop,
  }
}
