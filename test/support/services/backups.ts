import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestServer } from '../database/open.ts'
import { SUPERUSER, startServer } from '../server/start.ts'

export interface Reply {
  readonly status: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: JSON of many forms
  readonly body: any
  readonly headers: Headers
}

/** A server whose backups are kept in a temporary folder, and its superuser. */
export interface BackupServer {
  readonly server: TestServer
  readonly folder: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  upload(name: string, content: Uint8Array<ArrayBuffer> | string): Promise<Reply>
  download(key: string): Promise<Uint8Array<ArrayBuffer>>
  keys(): Promise<string[]>
  /**
   * What `GET /api/backup-status` answers once that satisfies `holds`; while a backup is restored it is asked
   * again.
   */
  status(holds?: (status: Reply['body']) => boolean): Promise<Reply['body']>
  stop(): Promise<void>
}

const WAIT_MS = 60_000

export async function startBackupServer(env: Record<string, string> = {}): Promise<BackupServer> {
  const folder = join(mkdtempSync(join(tmpdir(), 'pocketsms-backup-api-')), 'backups')
  const server = await startServer({ env: { BACKUP_DIR: folder, ...env } })
  const identity = { identity: SUPERUSER.email, password: SUPERUSER.password }
  const { token } = (await request(server.url, 'POST', SIGN_IN, identity)).body
  const headers = { authorization: token as string }
  const call: BackupServer['call'] = (method, path, body, more = headers) =>
    request(server.url, method, path, body, more)
  return {
    server,
    folder,
    call,
    upload(name, content) {
      const form = new FormData()
      form.set('file', new Blob([content]), name)
      return request(server.url, 'POST', '/api/backups/upload', form, headers)
    },
    async download(key) {
      const { token: fileToken } = (await call('POST', '/api/files/token')).body
      const response = await fetch(`${server.url}/api/backups/${key}?token=${fileToken}`)
      return new Uint8Array(await response.arrayBuffer())
    },
    keys: async () => (await call('GET', '/api/backups')).body.map(({ key }: { key: string }) => key),
    async status(holds = () => true) {
      for (const end = Date.now() + WAIT_MS; ; ) {
        const { status, body } = await call('GET', '/api/backup-status').catch(() => ({
          status: 0,
          body: {},
        }))
        if (status === 200 && holds(body)) return body
        if (Date.now() > end) throw new Error(`The status stays ${status} ${JSON.stringify(body)}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    async stop() {
      await server.stop()
      rmSync(join(folder, '..'), { recursive: true, force: true })
    },
  }
}

const SIGN_IN = '/api/collections/_superusers/auth-with-password'

async function request(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const isJson = body !== undefined && !(body instanceof FormData)
  const response = await fetch(url + path, {
    method,
    headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as FormData) }),
  })
  const text = await response.text()
  const isAnswer = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, text, body: isAnswer ? JSON.parse(text) : {}, headers: response.headers }
}
