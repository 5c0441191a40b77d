import { execFile } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { UserError } from '../../api-errors.ts'
import { syncFolder } from '../../tools/sync-folder.ts'
import {
  ACCESS,
  DATABASE_ROLE,
  makeAccess,
  readClusterAccess,
  SUPERUSER,
} from './cluster-access.ts'
import { makeSpawnArguments, type Site } from './cluster-location.ts'
import { findPostmaster, isProcessAlive } from './postmaster.ts'
import { explainFailedStart } from './start-faults.ts'
import { LOCK } from './start-postgres.ts'
import { createTextFile, hasAnyFile, removePath } from './system-account.ts'

/** Creates the cluster if it is missing. Creates a new password if the file with the password is lost. */
export async function ensureCluster(site: Site): Promise<void> {
  const { folder } = site
  if (!hasAnyFile(folder)) await makeCluster(site)
  // a copied folder may have lost the mode that Postgres wants
  else chmodSync(folder, 0o700)
  if (existsSync(join(folder, 'PG_VERSION')) && !readClusterAccess(folder)) await renewAccess(site)
}

async function renewAccess(site: Site): Promise<void> {
  const { folder, launch } = site
  const [pid, file] = [findPostmaster(folder), join(folder, ACCESS)]
  if (pid)
    throw new UserError(
      `The file ${file} is damaged, so logins fail. Stop the running Postgres (kill -INT ${pid}) and start again: the server then makes a new file.`,
    )
  const access = makeAccess()
  const roles = [SUPERUSER, DATABASE_ROLE].map(
    (role) => `alter role ${role} password '${access.password}'\n`,
  )
  await runSingle(site, folder, roles.join(''))
  removePath(file, launch.account)
  createTextFile(file, JSON.stringify(access), launch.account)
}

/** Creates the cluster in a temporary folder, then renames it: the cluster is never incomplete. */
async function makeCluster(site: Site): Promise<void> {
  const { folder, launch, programs } = site
  const { account } = launch
  removeLeftovers(site)
  const partial = `${folder}.new.${process.pid}`
  const access = makeAccess()
  try {
    mkdirSync(partial, { mode: 0o700, recursive: true })
    if (account) chownSync(partial, account.uid, account.gid)
    createTextFile(`${partial}.password`, access.password, account)
    const locale =
      programs.major >= 17
        ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
        : ['--locale=C.UTF-8']
    const logins = ['-U', SUPERUSER, '--auth=scram-sha-256', `--pwfile=${partial}.password`]
    await runClusterProgram(site, 'initdb', [
      '-D',
      partial,
      '-E',
      'UTF8',
      '-k',
      '-N',
      ...locale,
      ...logins,
    ])
    const sql = `create role ${DATABASE_ROLE} login password '${access.password}'\ncreate database ${DATABASE_ROLE} owner ${DATABASE_ROLE}\n`
    await runSingle(site, partial, sql)
    createTextFile(join(partial, ACCESS), JSON.stringify(access), account)
    createTextFile(join(partial, LOCK), '', account)
    // syncing a thousand files one by one may take seconds
    const isQuick = process.platform === 'linux' && programs.major >= 17
    await runClusterProgram(site, 'initdb', [
      '-D',
      partial,
      '-S',
      ...(isQuick ? ['--sync-method=syncfs'] : []),
    ])
    if (existsSync(folder) && !hasAnyFile(folder)) rmdirSync(folder)
    if (!existsSync(folder)) renameSync(partial, folder)
    await syncFolder(dirname(folder))
  } finally {
    for (const path of [partial, `${partial}.password`]) removePath(path, account)
  }
}

const runSingle = (site: Site, folder: string, sql: string) =>
  runClusterProgram(
    site,
    'postgres',
    ['--single', '-c', 'exit_on_error=on', '-D', folder, SUPERUSER],
    sql,
  )

function removeLeftovers({ folder, launch }: Site): void {
  const start = `${basename(folder)}.new.`
  for (const name of readdirSync(dirname(folder)).filter((one) => one.startsWith(start))) {
    const pid = Number.parseInt(name.slice(start.length), 10)
    if (pid === process.pid || !isProcessAlive(pid))
      removePath(join(dirname(folder), name), launch.account)
  }
}

/** Runs a program of Postgres. Throws a UserError with the program's output if it fails. */
async function runClusterProgram(
  site: Site,
  program: string,
  args: readonly string[],
  input = '',
): Promise<void> {
  const { command, args: all, options } = makeSpawnArguments(site, program, args)
  const running = promisify(execFile)(command, all, options)
  running.child.stdin!.on('error', () => {}).end(input)
  await running.catch((error) => {
    throw explainFailedStart(site.folder, error.stderr || error.message)
  })
}
