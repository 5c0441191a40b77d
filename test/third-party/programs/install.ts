import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runs } from '../../support/installed.ts'
import {
  DEBIAN,
  findPython,
  folderOf,
  GO,
  goFile,
  hasDebian,
  NPM,
  PYTHON,
  pythonFile,
  UV_PYPI,
} from './packages.ts'

// Installs the programs of the pages, each once. What cannot be had here stays away, and its test is not run.

/** Runs a command; says so if it fails, and goes on. */
function attempt(command: string, args: readonly string[], options: object = {}): void {
  try {
    execFileSync(command, args, { stdio: 'inherit', ...options })
  } catch {
    console.warn(`Not installed: ${command} ${args.join(' ')}`)
  }
}

const keysOf = <T extends object>(of: T) => Object.keys(of) as (keyof T)[]

// pip had found no fitting versions of Home Assistant's packages after 19 minutes; uv finds them
const UV = join(folderOf('uv'), 'bin', 'uv')
if (!existsSync(UV) && runs('python3', '-m', 'pip', '--version')) {
  attempt('python3', ['-m', 'venv', folderOf('uv')])
  attempt(join(folderOf('uv'), 'bin', 'pip'), ['install', '--quiet', UV_PYPI])
}

for (const program of keysOf(PYTHON)) {
  const { python, pypi } = PYTHON[program]
  const found = findPython(python)
  if (existsSync(pythonFile(program)) || !found) continue
  attempt(found, ['-m', 'venv', folderOf(program)])
  attempt(UV, ['pip', 'install', '--quiet', '--python', pythonFile(program, 'python'), ...pypi])
}

for (const program of keysOf(NPM)) {
  const folder = folderOf(program)
  if (existsSync(join(folder, 'node_modules'))) continue
  mkdirSync(folder, { recursive: true })
  const content = JSON.stringify({ private: true, dependencies: NPM[program] })
  writeFileSync(join(folder, 'package.json'), content)
  attempt('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
}

for (const program of keysOf(GO))
  if (!existsSync(goFile(program)) && runs('go', 'version'))
    attempt('go', ['install', GO[program]], {
      env: { ...process.env, GOBIN: folderOf(program) },
    })

const missing = keysOf(DEBIAN).filter((program) => !hasDebian(program))
if (missing.length > 0 && process.getuid?.() === 0 && runs('apt-get', '--version')) {
  // RUNLEVEL: none of them is started
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const packages = missing.flatMap((program) => DEBIAN[program].packages)
  attempt('apt-get', ['update', '-q'], { env })
  attempt('apt-get', ['install', '-q', '-y', '--no-install-recommends', ...packages], { env })
}
