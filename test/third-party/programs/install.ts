import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { runs } from '../../support/installed.ts'
import { DEBIAN, findPython, folderOf, hasDebian, PYTHON, pythonFile } from './packages.ts'

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

for (const program of keysOf(PYTHON)) {
  const { python, pypi } = PYTHON[program]
  const found = findPython(python)
  if (existsSync(pythonFile(program)) || !found) continue
  attempt(found, ['-m', 'venv', folderOf(program)])
  attempt(pythonFile(program, 'pip'), ['install', '--quiet', ...pypi])
}

const missing = keysOf(DEBIAN).filter((program) => !hasDebian(program))
if (missing.length > 0 && process.getuid?.() === 0 && runs('apt-get', '--version')) {
  // RUNLEVEL: none of them is started
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' }
  const packages = missing.flatMap((program) => DEBIAN[program].packages)
  attempt('apt-get', ['update', '-q'], { env })
  attempt('apt-get', ['install', '-q', '-y', '--no-install-recommends', ...packages], { env })
}
