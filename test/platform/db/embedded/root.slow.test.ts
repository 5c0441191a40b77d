import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findPrograms } from '../../../../src/platform/db/embedded/find-programs.ts'
import {
  canMount,
  inMounts,
  openElsewhere,
  openFolder,
  openHere,
  postmasterIn,
  withoutNamespaces,
} from '../../../support/database/embedded.ts'
import { accountOf } from '../../../support/database/postgres.ts'
import { temporaryFolder } from '../../../support/database/temporary-folder.ts'

// Who runs the embedded database: root, with and without user namespaces, and an ordinary user.

const PROJECT = fileURLToPath(new URL('../../../..', import.meta.url))
const CLI = join(PROJECT, 'src/main/cli.ts')
const COPIES = '/var/cache/pocketsms'
const isRoot = process.getuid?.() === 0

/** A data folder of which tests make copies. */
const whole = join(temporaryFolder(), 'data')
await (await openHere(whole)).close()

const close = async (child: Awaited<ReturnType<typeof openElsewhere>>['child']) => {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

const isOpenToOthers = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (path === '/' || isOpenToOthers(dirname(path)))

describe.runIf(isRoot && process.platform === 'linux')('root', () => {
  test('root runs the database in a folder of mode 700 as itself', async () => {
    const folder = join(temporaryFolder(), 'data')
    const { child, said } = await openElsewhere(folder)
    expect(said).toBe('')
    expect(statSync(join(folder, 'postgres')).uid).toBe(0)
    await close(child)
  })

  describe.runIf(isOpenToOthers(PROJECT))('without namespaces', () => {
    const options = { env: withoutNamespaces() }

    test('root keeps data in the data folder and copies programs that the account cannot reach', async () => {
      const [closed, folder] = [temporaryFolder(), join(openFolder(), 'data')]
      symlinkSync(join(findPrograms(closed).bin, '..'), join(closed, 'native'))
      const env = { ...options.env, POSTGRES_BIN: join(closed, 'native', 'bin') }
      if (!existsSync(COPIES)) onTestFinished(() => rmSync(COPIES, { recursive: true }))
      const { child, said } = await openElsewhere(folder, { env })
      expect(said).toBe('')
      const { uid } = statSync(`/proc/${postmasterIn(folder)}`)
      expect(readlinkSync(`/proc/${postmasterIn(folder)}/exe`)).toMatch(COPIES)
      const owners = readdirSync(folder).map((name) => [name, lstatSync(join(folder, name)).uid])
      expect(Object.fromEntries(owners)).toEqual({
        postgres: uid,
        'postgres-lib': 0,
        'postgres-log': 0,
      })
      expect(uid).not.toBe(0)
      await close(child)
      // and where namespaces are allowed later, it stays with its account
      const again = await openElsewhere(folder)
      expect(again.said).toBe('')
      await close(again.child)
    })

    test('a database that an earlier version stored elsewhere keeps working', async () => {
      const [folder, elsewhere] = [join(temporaryFolder(), 'data'), join(openFolder(), 'cluster')]
      mkdirSync(folder)
      cpSync(join(whole, 'postgres'), elsewhere, { recursive: true })
      execFileSync('chown', ['-R', 'postgres:', elsewhere])
      symlinkSync(elsewhere, join(folder, 'postgres'))
      const { child, url } = await openElsewhere(folder, options)
      expect(new URL(url).searchParams.get('host')).toBe(elsewhere)
      await close(child)
    })

    test.each([
      [
        'a closed folder',
        () => join(temporaryFolder(), 'data'),
        /may not enter .*Choose another DATA_DIR, .* an ordinary user, .* DATABASE_URL/,
      ],
      [
        'a folder of the account',
        () => {
          const folder = openFolder()
          execFileSync('chown', ['postgres', folder])
          return folder
        },
        /^The account that runs Postgres for root \(number \d+\) may change .*\(chown root/,
      ],
      [
        'a folder where the account has left libraries',
        () => {
          const folder = openFolder()
          execFileSync('install', ['-d', '-o', 'postgres', join(folder, 'postgres-lib', 'planted')])
          return folder
        },
        /^.*postgres-lib\/planted is not root's\. Remove it/,
      ],
    ])('%s is refused with $2', async (_, folder, refusal) => {
      expect((await openElsewhere(folder(), options)).said).toMatch(refusal)
    })

    test('the account `nobody` is refused, and its database is given to the account made for it', async () => {
      const [folder, passwd] = [join(openFolder(), 'data'), join(temporaryFolder(), 'passwd')]
      cpSync(whole, folder, { recursive: true })
      execFileSync('chown', ['-R', 'nobody:', join(folder, 'postgres')])
      const begin = () =>
        openElsewhere(folder, options, inMounts(`mount --bind ${passwd} /etc/passwd`))
      writeFileSync(passwd, 'root:x:0:0::/:\nnobody:x:65534:65534::/:\n')
      expect((await begin()).said).toMatch(/Make an account for it:\n {2}useradd .* pocketsms\n/)
      appendFileSync(passwd, 'pocketsms:x:7654:7654::/:\n')
      const { child, said } = await begin()
      expect(said).toBe('')
      expect(statSync(`/proc/${postmasterIn(folder)}`).uid).toBe(7654)
      await close(child)
    })

    test("links in the account's folder never lead root elsewhere", async () => {
      const [parent, victim] = [openFolder(), join(temporaryFolder(), 'victim')]
      const folder = join(parent, 'data')
      cpSync(whole, folder, { recursive: true })
      const cluster = join(folder, 'postgres')
      const other = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)', cluster])
      onTestFinished(() => void other.kill())
      writeFileSync(join(cluster, 'postmaster.pid'), `${other.pid}\n`)
      for (const name of ['log', 'pocketsms.lock', 'postgres.log']) {
        rmSync(join(cluster, name), { recursive: true, force: true })
        symlinkSync(victim, join(cluster, name))
      }
      execFileSync('chown', ['-hR', 'postgres:', cluster])
      const { child, said } = await openElsewhere(folder, options)
      expect(said).toBe('')
      await close(child)
      expect([existsSync(victim), other.exitCode, other.signalCode]).toEqual([false, null, null])
    })
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

    test('a user without a home, on a read-only installation gets a database, and no file is written beside the programs', async () => {
      const { bin } = findPrograms(join(temporaryFolder(), 'links'))
      const before = readdirSync(join(bin, '..'), { recursive: true })
      const folder = join(own(temporaryFolder()), 'data')
      const { child, said } = await openElsewhere(folder, options)
      expect(said).toBe('')
      await close(child)
      expect(readdirSync(join(bin, '..'), { recursive: true })).toEqual(before)
    })

    test('a user without a home, on a read-only installation is refused the database of another user', async () => {
      const folder = join(own(temporaryFolder()), 'data')
      mkdirSync(join(folder, 'postgres'), { recursive: true })
      own(folder)
      const { said } = await openElsewhere(folder, options)
      expect(said).toMatch(/belongs to the user with the number 0\. Start the server as that user/)
    })

    test('a user without a home, on a read-only installation is refused a folder without write permission', async () => {
      const { said } = await openElsewhere(join(openFolder(), 'data'), options)
      expect(said).toMatch(/^The data folder .* cannot be used: EACCES/)
    })
  },
)

describe.runIf(isRoot && canMount())('a machine on which the database cannot start', () => {
  test.each<[string, (folder: string) => string[], RegExp]>([
    [
      'a full disk',
      (folder) => inMounts(`mount -t tmpfs -o size=12m none ${folder}`),
      /^The disk that holds .* is full\. Free/,
    ],
    [
      'a read-only disk',
      (folder) => inMounts(`mount -t tmpfs none ${folder} && mount -o remount,ro ${folder}`),
      /^The data folder .*: EROFS: read-only file system/,
    ],
    [
      'little shared memory',
      () => inMounts('mount -t tmpfs -o size=64k none /dev/shm'),
      /\/dev\/shm, is too small/,
    ],
    [
      'a user without a name',
      (folder) => {
        chownSync(folder, 12_345, 12_345)
        return ['setpriv', '--reuid=12345', '--regid=12345', '--clear-groups']
      },
      /only for a user with a name: .* DATABASE_URL\. Postgres said:/,
    ],
  ])(
    'a machine on which the database cannot start is refused with $2: %s',
    async (_, prefixFor, sentence) => {
      const folder = openFolder()
      const { said } = await openElsewhere(
        join(folder, 'data'),
        { env: withoutNamespaces() },
        prefixFor(folder),
      )
      expect(said).toMatch(sentence)
    },
  )

  test('a machine on which the database cannot start reports a full disk while tables are created', () => {
    const folder = openFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=100m,mode=700', 'none', folder])
    onTestFinished(() => void execFileSync('umount', [folder]))
    cpSync(whole, folder, { recursive: true })
    spawnSync('dd', ['if=/dev/zero', `of=${folder}/filler`, 'bs=256k'])
    execFileSync('truncate', ['--size=-1M', join(folder, 'filler')])
    const env = { ...process.env, DATABASE_URL: '', DATA_DIR: folder }
    const { stderr } = spawnSync(process.execPath, [CLI, 'migrate'], { env, encoding: 'utf8' })
    expect(stderr).toMatch(/^The migration failed and changed nothing: .*Check free disk space\./)
  })
})
