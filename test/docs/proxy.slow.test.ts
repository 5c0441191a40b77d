import { writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { freePort } from '../support/database/postgres.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { runs } from '../support/installed.ts'
import { type RunningProgram, startProgram } from '../support/server/program.ts'
import { signIn } from '../support/server/server-with-devices.ts'
import { SUPERUSER, startServer } from '../support/server/start.ts'
import { blocksOf } from './page.ts'

const HEARD_MS = 3_000
const CLIENT = '127.0.0.2'

const blockIn = (language: string) => {
  const block = blocksOf('docs/deploy.md').find((each) => each.language === language)
  if (!block) throw new Error(`docs/deploy.md has no block of ${language}`)
  return block.text
}

/** The page's configuration on a port of ours, before our server, and without the certificates of others. */
const PROXIES = {
  caddy: {
    isThere: runs('caddy', 'version'),
    config: (port: number, server: string) =>
      `{\n\tadmin off\n}\n${blockIn('caddyfile').replace('sms.example.com', `http://127.0.0.1:${port}`).replace('127.0.0.1:8090', server)}`,
    args: (file: string) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  nginx: {
    isThere: runs('nginx', '-v'),
    config: (port: number, server: string) => {
      const site = blockIn('nginx')
        .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
        .replace('    listen [::]:443 ssl;\n', '')
        .replaceAll(/^\s*ssl_.*$/gm, '')
        .replace('127.0.0.1:8090', server)
      return `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}\nhttp { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;\n${site} }`
    },
    args: (file: string) => ['-c', file],
  },
} as const

const folder = temporaryFolder()
const server = await startServer({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
const { token } = await signIn(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)

describe.each(['caddy', 'nginx'] as const)(
  'behind %s, configured as in docs/deploy.md,',
  (name) => {
    const { isThere, config, args } = PROXIES[name]
    let proxy: RunningProgram | undefined
    beforeAll(async () => {
      if (!isThere) return
      const port = await freePort()
      const file = join(folder, `${name}.conf`)
      writeFileSync(file, config(port, new URL(server.url).host))
      const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
      proxy = await startProgram(name, args(file), home, `http://127.0.0.1:${port}`, '/api/health')
    })
    afterAll(() => proxy?.stop())

    test.skipIf(!isThere)('events arrive without buffering', async () => {
      const response = await fetch(`${proxy!.url}/api/realtime`, {
        signal: AbortSignal.timeout(HEARD_MS),
      })
      const { value } = await response.body!.getReader().read()
      expect(new TextDecoder().decode(value)).toContain('PB_CONNECT')
    })

    test.skipIf(!isThere)(
      "the server gets the client's address and ignores forged headers",
      async () => {
        expect(await addressSeen(proxy!.url)).toBe(CLIENT)
      },
    )
  },
)

/**
 * What the server takes for the address of a client that comes from CLIENT and claims to be somebody else.
 */
function addressSeen(url: string): Promise<string> {
  const headers = { authorization: token, 'x-forwarded-for': '203.0.113.7' }
  return new Promise((resolve, reject) => {
    get(`${url}/api/health`, { localAddress: CLIENT, headers }, async (response) => {
      const { data } = (await json(response)) as { data: { realIP: string } }
      resolve(data.realIP)
    }).on('error', reject)
  })
}
