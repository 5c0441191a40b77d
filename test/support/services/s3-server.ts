import { accessSync, constants, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../database/postgres.ts'
import { temporaryFolder } from '../database/temporary-folder.ts'
import { startProgram } from '../server/program.ts'

const NAME = 'versitygw'
const BUCKET = 'backups'
const KEYS = { accessKey: 'test-access', secret: 'test-secret-key' } as const

/** Where `go install` puts programs, then the folders of PATH. */
const FOLDERS = [
  process.env.GOBIN,
  process.env.GOPATH && join(process.env.GOPATH, 'bin'),
  join(homedir(), 'go', 'bin'),
  ...(process.env.PATH ?? '').split(':'),
]

/** The S3-compatible server versitygw; undefined where it is not installed. */
export const findS3Server = (): string | undefined =>
  FOLDERS.filter((folder) => folder !== undefined && folder !== '')
    .map((folder) => join(folder!, NAME))
    .find(isExecutable)

export const NO_S3_SERVER = `${NAME} is not installed: go install github.com/versity/versitygw/cmd/versitygw@latest`

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Starts versitygw with an empty bucket over a temporary folder, in which each bucket is a folder. */
export async function startS3Server() {
  const program = findS3Server()
  if (!program) throw new Error(NO_S3_SERVER)
  const root = temporaryFolder()
  mkdirSync(join(root, BUCKET))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const args = ['--port', `127.0.0.1:${port}`, '--access', KEYS.accessKey, '--secret', KEYS.secret]
  const running = await startProgram(
    program,
    [...args, '--region', 'eu-test-1', '--health', '/healthy', '--quiet', 'posix', root],
    {},
    url,
    '/healthy',
  )
  return {
    settings: {
      enabled: true,
      bucket: BUCKET,
      region: 'eu-test-1',
      endpoint: url,
      ...KEYS,
      forcePathStyle: true,
    },
    /** The folder in which the objects of the bucket are files. */
    folder: join(root, BUCKET),
    stop: running.stop,
  }
}

/** Settings of a store that nobody runs. */
export const NO_S3 = {
  enabled: true,
  bucket: 'b',
  region: 'r',
  endpoint: 'http://127.0.0.1:9',
  accessKey: 'a',
  secret: 's',
  forcePathStyle: true,
}
