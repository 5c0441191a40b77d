import { UserError } from '../../errors.ts'

const LAST_LINES = 8

/** What the person who runs the server can do about words of Postgres. */
const KNOWN: readonly (readonly [RegExp, (folder: string) => string])[] = [
  [
    /No space left on device|Disk quota exceeded/,
    (folder) => `The disk that holds ${folder} is full. Free some space: the database then starts again.`,
  ],
  [
    /Permission denied|Operation not permitted/,
    (folder) => `The server may not use the files in ${folder}: give them to the user that runs it.`,
  ],
]

export const IN_USE = (folder: string) =>
  new UserError(
    `The database in ${folder} is in use on another host or in another container. Stop the server there, or let both use one Postgres by DATABASE_URL.`,
  )

/** The error when Postgres does not start: what to do, if that is known, and the end of its output. */
export function whyNot(folder: string, said: string): UserError {
  const sentence = KNOWN.find(([pattern]) => pattern.test(said))?.[1](folder)
  const lines = said.trim().split('\n').slice(-LAST_LINES).join('\n  ')
  return new UserError(
    `${sentence ?? `The database in ${folder} does not start.`} Postgres said:\n  ${lines || 'nothing'}`,
  )
}
