import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../../package.json' with { type: 'json' }
import { CLONE } from './program-files.ts'

const PARTS = ['bin', 'grammar', 'package.json', 'package-lock.json', 'sql', 'src']

/** Another version of the program, in a folder of its own. */
export interface OtherVersion {
  readonly home: string
  remove(): void
}

/** `fill` returns the version's folder in the new one. */
function inFolder(fill: (folder: string) => string): OtherVersion {
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-version-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    return { home: fill(folder), remove }
  } catch (error) {
    remove()
    throw error
  }
}

/** The tags of all releases before this version, the newest first: none before the first release. */
const releaseTags = (): string[] =>
  git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname')
    .split('\n')
    .filter((tag) => tag && tag !== `v${packageJson.version}`)

/** The commit at which 0001_start.sql was frozen: upgrades are tried from it until a release has a tag. */
export const FIRST_RELEASE = '860d48df99ab45be71b163c2215047d242126347'

/** The commit of the last release: its tag, else FIRST_RELEASE. */
export const lastReleaseCommit = (): string =>
  git('rev-parse', `${releaseTags()[0] ?? FIRST_RELEASE}^{commit}`)

/**
 * Names of all releases before this version, the newest first, for `openRelease`: the packages of npm, or
 * only the packed file that RELEASE names; before the first tag FIRST_RELEASE.
 */
export function listReleases(): readonly string[] {
  const { RELEASE } = process.env
  const packages = RELEASE ? [RELEASE] : releaseTags().map((tag) => tag.replace('v', 'pocketsms@'))
  return packages.length > 0 ? packages : [FIRST_RELEASE]
}

/**
 * A release as npm installs it, or FIRST_RELEASE with the packages of this version where both need the
 * same.
 */
export const openRelease = (name: string): OtherVersion =>
  inFolder((folder) => (name === FIRST_RELEASE ? checkedOut(folder) : installed(folder, name)))

export const lastRelease = (): OtherVersion => openRelease(listReleases()[0]!)

function installed(folder: string, release: string): string {
  writeFileSync(join(folder, 'package.json'), '{}')
  const quiet = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--silent']
  execFileSync('npm', ['install', '--prefix', folder, ...quiet, release])
  return join(folder, 'node_modules/pocketsms')
}

function checkedOut(home: string): string {
  const archive = execFileSync('git', ['-C', CLONE, 'archive', FIRST_RELEASE, ...PARTS], {
    maxBuffer: 2 ** 30,
  })
  execFileSync('tar', ['-x', '-C', home], { input: archive })
  if (packagesOf(home) === packagesOf(CLONE)) linkPackages(home)
  else execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: home })
  return home
}

/** This version and a migration that servers without it cannot go on with. */
export function nextVersion(): OtherVersion {
  return inFolder((home) => {
    for (const part of PARTS) cpSync(join(CLONE, part), join(home, part), { recursive: true })
    linkPackages(home)
    const number = Number.parseInt(readdirSync(join(home, 'sql/migrations')).sort().at(-1)!, 10) + 1
    const file = `${String(number).padStart(4, '0')}_next.sql`
    writeFileSync(join(home, 'sql/migrations', file), `update _schema set oldest = ${number};`)
    return home
  })
}

/** What a command of git prints. */
export const git = (...args: string[]): string =>
  execFileSync('git', ['-C', CLONE, ...args], { encoding: 'utf8' }).trim()

const linkPackages = (home: string) =>
  symlinkSync(join(CLONE, 'node_modules'), join(home, 'node_modules'))

/** What the program needs of the packages that npm installs for a folder. */
function packagesOf(home: string): string {
  const { packages } = JSON.parse(readFileSync(join(home, 'package-lock.json'), 'utf8'))
  return JSON.stringify(
    Object.entries<{ dev?: true }>(packages).filter(([path, { dev }]) => path && !dev),
  )
}
