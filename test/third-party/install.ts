import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { areInstalled, FOLDER, TOOLS } from './folder.ts'

// Installs the tools that test/third-party needs. Without scripts: one of them would compile SQLite for a
// minute, to read database files, which is not what we ask of it.

if (!areInstalled()) {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, 'package.json'), JSON.stringify({ private: true, dependencies: TOOLS }))
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    stdio: 'inherit',
  })
}
