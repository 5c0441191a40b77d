import { join } from 'node:path'
import type { TestServer } from '../database/open.ts'
import { temporaryFolder } from '../database/temporary-folder.ts'
import { type Answer, request } from '../server/request.ts'
import { signIn } from '../server/server-with-devices.ts'
import { SUPERUSER, startServer } from '../server/start.ts'
import { until } from '../until.ts'

/** A server whose backups are kept in a temporary folder, and its superuser. */
export interface BackupServer {
  readonly server: TestServer
  readonly folder: string
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  upload(name: string, content: Uint8Array<ArrayBuffer> | string): Promise<Answer>
  download(key: string): Promise<Uint8Array<ArrayBuffer>>
  keys(): Promise<string[]>
  /**
   * What `GET /api/backup-status` answers once that satisfies `holds`; while a backup is restored it is asked
   * again.
   */
  status(holds?: (status: Answer['body']) => boolean): Promise<Answer['body']>
}

const WAIT_MS = 60_000

export async function startBackupServer(env: Record<string, string> = {}): Promise<BackupServer> {
  const folder = join(temporaryFolder(), 'backups')
  const server = await startServer({ env: { BACKUP_DIR: folder, ...env } })
  const { token } = await signIn(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  const headers = { authorization: token }
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
      const ask = async () => {
        const answer = await call('GET', '/api/backup-status').catch(() => undefined)
        return answer?.status === 200 && holds(answer.body) ? answer.body : undefined
      }
      return until('the status of backups', ask, WAIT_MS)
    },
  }
}
