import { join } from 'node:path'
import { temporaryFolder } from '../database/temporary-folder.ts'
import { type Answer, request } from '../server/request.ts'
import { signIn } from '../server/server-with-devices.ts'
import { SUPERUSER, startServer } from '../server/start.ts'
import { until } from '../until.ts'

const WAIT_MS = 60_000

export type BackupServer = Awaited<ReturnType<typeof startBackupServer>>

/** A server whose backups are kept in a temporary folder, and its superuser. */
export async function startBackupServer(env: Record<string, string> = {}) {
  const folder = join(temporaryFolder(), 'backups')
  const server = await startServer({ env: { BACKUP_DIR: folder, ...env } })
  const { token } = await signIn(server.url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  const headers = { authorization: token }
  const call = (
    method: string,
    path: string,
    body?: unknown,
    more: Record<string, string> = headers,
  ) => request(server.url, method, path, body, more)
  return {
    server,
    folder,
    call,
    upload(name: string, content: Uint8Array<ArrayBuffer> | string) {
      const form = new FormData()
      form.set('file', new Blob([content]), name)
      return request(server.url, 'POST', '/api/backups/upload', form, headers)
    },
    async download(key: string) {
      const { token: fileToken } = (await call('POST', '/api/files/token')).body
      const response = await fetch(`${server.url}/api/backups/${key}?token=${fileToken}`)
      return new Uint8Array(await response.arrayBuffer())
    },
    keys: async (): Promise<string[]> =>
      (await call('GET', '/api/backups')).body.map(({ key }: { key: string }) => key),
    /** What `GET /api/backup-status` answers once that satisfies `holds`; asked again during a restore. */
    async status(holds: (status: Answer['body']) => boolean = () => true): Promise<Answer['body']> {
      const ask = async () => {
        const answer = await call('GET', '/api/backup-status').catch(() => undefined)
        return answer?.status === 200 && holds(answer.body) ? answer.body : undefined
      }
      return until('the status of backups', ask, WAIT_MS)
    },
  }
}
