import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findPrograms } from '../../../src/db/embedded/programs.ts'
import { openElsewhere, postmasterIn } from '../../support/database/embedded.ts'
import { accountOf } from '../../support/database/postgres.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'

// Who runs the embedded database: root, with and without user namespaces, and an ordinary user.

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
const RELOCATED = '/var/lib/pocketsms'
const isRoot = process.getuid?.() === 0

/** An environment in which `unshare` is refused, as in a default container. */
function withoutNamespaces(): NodeJS.ProcessEnv {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  return { ...process.env, PATH: `${folder}:${process.env.PATH}` }
}

const close = async (child: Awaited<ReturnType<typeof openElsewhere>>['child']) => {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

const isOpenToOthers = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (path === '/' || isOpenToOthers(dirname(path)))

describe.runIf(isRoot && process.platform === 'linux')('root', () => {
  test('runs it in a folder of mode 700, as itself', async () => {
    const folder = join(temporaryFolder(), 'data')
    const { child, said } = await openElsewhere(folder)
    expect(said).toBe('')
    expect(statSync(join(folder, 'postgres')).uid).toBe(0)
    await close(child)
  })

  test('without namespaces: in a closed folder programs and cluster go elsewhere', async () => {
    const folder = join(temporaryFolder(), 'data')
    const { child, said, url } = await openElsewhere(folder, { env: withoutNamespaces() })
    expect(said).toBe('')
    const cluster = readlinkSync(join(folder, 'postgres'))
    onTestFinished(() => rmSync(cluster, { recursive: true }))
    expect(dirname(cluster)).toBe(RELOCATED)
    expect(new URL(url).searchParams.get('host')).toBe(cluster)
    expect(statSync(`/proc/${postmasterIn(folder)}`).uid).toBe(statSync(cluster).uid)
    expect(statSync(cluster).uid).not.toBe(0)
    await close(child)
    const again = await openElsewhere(folder, { env: withoutNamespaces() })
    expect(again.url).toBe(url)
    await close(again.child)
  })

  test.runIf(isOpenToOthers(PROJECT))('without namespaces: in an open folder it stays there', async () => {
    const parent = temporaryFolder()
    chmodSync(parent, 0o755)
    const folder = join(parent, 'data')
    const { child, said } = await openElsewhere(folder, { env: withoutNamespaces() })
    expect(said).toBe('')
    expect(statSync(join(folder, 'postgres')).uid).not.toBe(0)
    await close(child)
    // and where namespaces are allowed later, it stays with its account
    const again = await openElsewhere(folder)
    expect(again.said).toBe('')
    await close(again.child)
  })
})

describe.runIf(isRoot && isOpenToOthers(PROJECT))(
  'a user without a home, on a read-only installation',
  () => {
    const nobody = isRoot ? accountOf('nobody') : undefined
    const own = (folder: string) => {
      chownSync(folder, nobody!.uid, nobody!.gid)
      return folder
    }
    const options = { ...nobody, env: { PATH: process.env.PATH }, cwd: '/' }

    test('has it, and nothing is written beside the programs', async () => {
      const { bin } = findPrograms(join(temporaryFolder(), 'links'))
      const before = readdirSync(join(bin, '..'), { recursive: true })
      const folder = join(own(temporaryFolder()), 'data')
      const { child, said } = await openElsewhere(folder, options)
      expect(said).toBe('')
      await close(child)
      expect(readdirSync(join(bin, '..'), { recursive: true })).toEqual(before)
    })

    test('does not get the database of another', async () => {
      const folder = join(own(temporaryFolder()), 'data')
      mkdirSync(join(folder, 'postgres'), { recursive: true })
      own(folder)
      const { said } = await openElsewhere(folder, options)
      expect(said).toMatch(/belongs to the user with the number 0\. Start the server as that user/)
    })

    test('does not get a folder that it may not write', async () => {
      const parent = temporaryFolder()
      chmodSync(parent, 0o755)
      const { said } = await openElsewhere(join(parent, 'data'), options)
      expect(said).toMatch(/^The data folder .* cannot be used: EACCES/)
    })
  },
)

test.runIf(isRoot && canMount())('a full disk', async () => {
  const folder = temporaryFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m,mode=700', 'none', folder])
  onTestFinished(() => void execFileSync('umount', [folder]))
  const { said } = await openElsewhere(join(folder, 'data'))
  expect(said).toMatch(/^The disk that holds .* is full\. Free some space/)
})

function canMount(): boolean {
  const folder = temporaryFolder()
  try {
    accessSync('/proc/mounts', constants.R_OK)
    execFileSync('mount', ['-t', 'tmpfs', 'none', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  }
}
