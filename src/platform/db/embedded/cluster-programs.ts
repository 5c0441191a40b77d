import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UserError } from '../../api-errors.ts'
import type { Logger } from '../../log.ts'
import {
  findOtherPrograms,
  findPackageFolder,
  findPrograms,
  PACKAGE,
  type Programs,
} from './find-programs.ts'
import { tryReadText } from './system-account.ts'

/** The newest version of the npm package for each earlier major version of Postgres, for advice to users. */
const EARLIER: Readonly<Record<number, string>> = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
}

const readMinorVersion = ({ version }: Programs) => Number(version.split('.')[1] ?? 0)
const hasTrigrams = ({ bin }: Programs) =>
  globSync('{,*/}pg_trgm.*', { cwd: join(bin, '../lib') }).length > 0

/**
 * Postgres' programs for a cluster: the newest minor version of the major version that made it. A new cluster
 * gets the major version that `findPrograms` prefers. Throws a UserError if there are none.
 */
export function choosePrograms(
  folder: string,
  link: string,
  linkFolder: string,
  log: Logger,
): Programs {
  const preferred = findPrograms(linkFolder)
  const made = Number(tryReadText(join(folder, 'PG_VERSION'))) || preferred.major
  const others = [...findOtherPrograms(linkFolder)].filter(({ major }) => major === made)
  const [fitting] = others.sort((a, b) => readMinorVersion(b) - readMinorVersion(a))
  if (made === preferred.major) {
    if (
      process.env.POSTGRES_BIN ||
      !fitting ||
      readMinorVersion(fitting) === readMinorVersion(preferred) ||
      !hasTrigrams(fitting)
    )
      return preferred
    log.info(
      `Postgres ${fitting.version} of ${fitting.bin} runs the database: that of the npm package is ${preferred.version}.`,
    )
    return fitting
  }
  const wanted = `Postgres ${preferred.major}, which is in ${preferred.bin}${process.env.POSTGRES_BIN ? ' (POSTGRES_BIN)' : ''}`
  const move = `To move it to ${wanted}, stop the server, then: ${moveCommand(link, made, preferred, !fitting)}`
  if (!fitting)
    throw new UserError(
      `The database in ${link} was made by Postgres ${made}, which is not installed here. Install it (Debian: apt-get install postgresql-${made}) or name the folder of its programs with POSTGRES_BIN, and start again.\n${move}`,
    )
  log.info(
    `The database in ${link} was made by Postgres ${made} and runs with ${fitting.bin}. ${move}`,
  )
  return fitting
}

/** A shell command that moves the database from major version `made` to `next` by a backup. */
function moveCommand(link: string, made: number, next: Programs, isMissing: boolean): string {
  const data = dirname(link)
  const [old, backup] = [`${link}-${made}`, join(data, `from-postgres-${made}.zip`)].map(quotePath)
  const restoreBin = process.env.POSTGRES_BIN ? `POSTGRES_BIN=${quotePath(next.bin)} ` : ''
  const pocketsms = `DATA_DIR=${quotePath(data)} npx pocketsms`
  const programs = `${old}-programs`
  const version = isMissing && findPackageFolder() ? EARLIER[made] : undefined
  const bin = version ? `POSTGRES_BIN=${programs}/node_modules/${PACKAGE}/native/bin ` : ''
  return [
    ...(version ? [`npm install --ignore-scripts --prefix ${programs} ${PACKAGE}@${version}`] : []),
    `${bin}${pocketsms} backup --to ${backup}`,
    `mv ${quotePath(link)} ${old}`,
    `${restoreBin}${pocketsms} restore --resume ${backup}`,
  ].join(' && ')
}

const quotePath = (path: string) =>
  /^[\w./:@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
