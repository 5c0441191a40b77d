import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import packageJson from '../../../package.json' with { type: 'json' }

/** The folder of this version. */
export const HOME = fileURLToPath(new URL('../../../', import.meta.url))
const PARTS = ['bin', 'grammar', 'package.json', 'package-lock.json', 'sql', 'src']

/** Another version of the program, in a folder of its own. */
export interface OtherVersion {
  readonly home: string
  remove(): void
}

function inFolder(fill: (home: string) => void): OtherVersion {
  const home = mkdtempSync(join(tmpdir(), 'pocketsms-version-'))
  const remove = () => rmSync(home, { recursive: true, force: true })
  try {
    fill(home)
  } catch (error) {
    remove()
    throw error
  }
  return { home, remove }
}

/** The commit of the last release: its tag, else the one before package.json got its present version. */
export function lastReleaseCommit(): string {
  const tags = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-version:refname').split('\n')
  const last = tags.find((tag) => tag && tag !== `v${packageJson.version}`)
  if (last) return git('rev-parse', `${last}^{commit}`)
  const change = ['log', '-1', '--format=%H', `-S"version": "${packageJson.version}"`, '--', 'package.json']
  return git('rev-parse', `${git(...change)}^`)
}

/** The last release. It uses the packages of this version where both need the same. */
export function lastRelease(): OtherVersion {
  const commit = lastReleaseCommit()
  return inFolder((home) => {
    const archive = execFileSync('git', ['-C', HOME, 'archive', commit, ...PARTS], { maxBuffer: 2 ** 30 })
    execFileSync('tar', ['-x', '-C', home], { input: archive })
    if (packagesOf(home) === packagesOf(HOME)) linkPackages(home)
    else execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: home })
  })
}

/** This version and a migration that servers without it cannot go on with. */
export function nextVersion(): OtherVersion {
  return inFolder((home) => {
    for (const part of PARTS) cpSync(join(HOME, part), join(home, part), { recursive: true })
    linkPackages(home)
    const number = Number.parseInt(readdirSync(join(home, 'sql/migrations')).sort().at(-1)!, 10) + 1
    const file = `${String(number).padStart(4, '0')}_next.sql`
    writeFileSync(join(home, 'sql/migrations', file), `update _schema set oldest = ${number};`)
  })
}

/** What a command of git prints. */
export const git = (...args: string[]): string =>
  execFileSync('git', ['-C', HOME, ...args], { encoding: 'utf8' }).trim()

const linkPackages = (home: string) => symlinkSync(join(HOME, 'node_modules'), join(home, 'node_modules'))

/** What npm installs for a folder. */
function packagesOf(home: string): string {
  const { packages } = JSON.parse(readFileSync(join(home, 'package-lock.json'), 'utf8'))
  return JSON.stringify({ ...packages, '': undefined })
}
