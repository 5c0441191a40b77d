import { join } from 'node:path'
import { UserError } from '../../api-errors.ts'
import { isSqlError } from '../database-errors.ts'

const LAST_LINES = 8

const KNOWN: readonly (readonly [RegExp, (folder: string) => string])[] = [
  [
    /shared memory segment.*No space left on device/,
    () =>
      'The memory that processes share, /dev/shm, is too small: Postgres needs 16 MB there (in Docker: --shm-size=64m).',
  ],
  [
    /could not look up effective user ID/,
    () =>
      'Postgres makes databases only for a user with a name: start the server as one that is in /etc/passwd, or name a running Postgres with DATABASE_URL.',
  ],
  [
    /No space left on device|Disk quota exceeded/,
    (folder) =>
      `The disk that holds ${folder} is full. Free some space: the database then starts again.`,
  ],
  [
    /Permission denied|Operation not permitted/,
    (folder) =>
      `The server may not use the files in ${folder}: give them to the user that runs it.`,
  ],
]

export const makeInUseError = (folder: string) =>
  new UserError(
    `The database in ${folder} is in use on another host or in another container. Stop the server there, or let both use one Postgres by DATABASE_URL.`,
  )

export const makeGoneError = (folder: string) =>
  new UserError(
    `The folder ${folder} of the database is gone, or was emptied. Stop the server. Then put the folder back from a copy, or restore a backup; a start without it makes a new, empty database.`,
  )

/** Explains why a running Postgres refuses the login; undefined for other errors. */
export function explainRefusedLogin(error: unknown, folder: string): UserError | undefined {
  if (isSqlError(error, '3D000'))
    return new UserError(
      `The database in ${folder} is incomplete, perhaps because the disk was full. Remove it and start again.`,
    )
  if (isSqlError(error, '28P01'))
    return new UserError(
      `The password in ${join(folder, 'pocketsms.json')} is wrong. Stop all servers, remove the file and start again: the server then makes a new one.`,
    )
  return undefined
}

/** Explains why Postgres does not start: what to do, if that is known, and the end of its output. */
export function explainFailedStart(folder: string, said: string): UserError {
  const sentence = KNOWN.find(([pattern]) => pattern.test(said))?.[1](folder)
  const lines = said.trim().split('\n').slice(-LAST_LINES).join('\n  ')
  return new UserError(
    `${sentence ?? `The database in ${folder} does not start.`} Postgres said:\n  ${lines || 'nothing'}`,
  )
}
