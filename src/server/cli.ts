import cluster from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineCommand, runMain } from 'citty'
import { renderUnicodeCompact } from 'uqr'
import packageJson from '../../package.json' with { type: 'json' }
import { agentCommand } from '../agent/command.ts'
import {
  deleteSuperuser,
  installerLink,
  listSuperusers,
  setSuperuserAddresses,
  upsertSuperuser,
} from '../auth/superusers.ts'
import { backupCommand, restoreCommand } from '../backup/command.ts'
import { sendCommand } from '../bulk/command.ts'
import type { Store } from '../collections/catalog.ts'
import { type CatalogStore, openStore } from '../collections/catalog-store.ts'
import { type Config, isLoopback, readConfig } from '../config.ts'
import { openDb } from '../db/connect.ts'
import { embeddedUrl } from '../db/embedded/access.ts'
import { migrate } from '../db/schema/migrate.ts'
import { demoCommand } from '../demo/demo.ts'
import { runProgramCommand, UserError } from '../errors.ts'
import { OWN_ROUTES } from '../http/app.ts'
import { importFiles } from '../import/fixtures.ts'
import { importPocketBase } from '../import/pocketbase.ts'
import { importVendel } from '../import/vendel.ts'
import { createLogger, type Logger } from '../log.ts'
import { openapiCommand } from '../openapi/document.ts'
import { PROTOCOLS } from '../protocols/protocols.ts'
import { showProgress } from '../tools/progress.ts'
import { onStopSignal } from '../tools/stop-signal.ts'
import { shareOf, supervise, workerCount, workerMember } from '../work/processes.ts'
import { strict, type Words } from './command-line.ts'
import { doctorCommand } from './doctor.ts'
import { repairNumbers } from './doctor-numbers.ts'
import { extensionsOf } from './extensions.ts'
import { type RunningServer, start } from './server.ts'

function setting(): { config: Config; log: Logger } {
  const config = readConfig({ LOG_LEVEL: 'warn', ...process.env })
  return { config, log: createLogger(config) }
}

async function withCatalogStore(work: (store: CatalogStore) => Promise<void>): Promise<void> {
  const { config, log } = setting()
  const database = await openDb(config, log)
  try {
    await migrate(database.forEverybody('command'))
    const store = await openStore(database)
    // the store must be closed before the database
    await work(store).finally(() => store.close())
  } finally {
    await database.close()
  }
}

const withStore = (work: (store: Store) => Promise<void>) =>
  withCatalogStore((store) => work(store.forEverybody('command')))

const say = (line: string) => void process.stdout.write(`${line}\n`)

async function printInstallerLink(store: Store, config: Config) {
  const link = await installerLink(store, config.publicUrl)
  if (!link) return
  say(`There is no superuser yet. Create the first one here, within 30 minutes:\n${link}`)
  say('Then the page Users adds people, and Devices their phones. If that fails: pocketsms doctor')
}

function endOnSignal(stop: () => Promise<void>) {
  onStopSignal((signal) => {
    // with several workers, the parent prints it
    if (!cluster.isWorker) say(`${signal}: finishing what runs`)
    void runProgramCommand(async () => {
      await stop()
      process.exit(0)
    })
  })
}

function printAddresses({ urls, publicUrl }: Config): void {
  if (isLoopback(publicUrl)) {
    say('Only this computer reaches it. To add a phone, start it with HOST=0.0.0.0')
    return
  }
  for (const url of urls) say(`Phones reach it at ${url}`)
  const page = `${publicUrl}/#/devices?add=1`
  say(`Add a phone: ${page}`)
  if (process.stdout.isTTY) say(renderUnicodeCompact(page))
}

/** How long a stop waits for a start in progress, which may already have started Postgres. */
const START_MS = 3_000

async function serveHere(config: Config, count: number) {
  const ready = serveAndSay(config, count)
  endOnSignal(async () => {
    const server = await Promise.race([ready, sleep(START_MS)])
    await server?.stop()
  })
  await ready
}

async function serveAndSay(config: Config, count: number): Promise<RunningServer> {
  const member = workerMember()
  const log = createLogger(config, undefined, member?.worker)
  const server = await start(shareOf(config, count), log, member)
  if (member) member.serving(server.url)
  else {
    say(`pocketsms listens on ${server.url}`)
    printAddresses(config)
  }
  if (!member || member.worker === 1)
    await printInstallerLink(server.services.store.forEverybody('command'), config)
  return server
}

/** Runs this process as the parent of several workers. The first worker migrates the database. */
async function superviseWorkers(config: Config, count: number) {
  const { stopDelaySeconds } = config
  const env = { WORKERS: String(count) }
  const supervisor = supervise({ count, stopDelaySeconds, env }, createLogger(config))
  endOnSignal(() => supervisor.stop())
  const begun = await supervisor.start()
  if ('exitCode' in begun) process.exitCode = begun.exitCode
  else {
    say(`pocketsms listens on ${begun.url}, with ${count} workers`)
    printAddresses(config)
  }
}

const serve = defineCommand({
  meta: {
    name: 'serve',
    description: 'Run the server. Settings come from the environment; see docs/settings.md.',
  },
  async run() {
    const config = readConfig(process.env)
    const count = workerCount(config)
    await (count > 1 && cluster.isPrimary ? superviseWorkers : serveHere)(config, count)
  },
})

const migrateCommand = defineCommand({
  meta: { name: 'migrate', description: 'Bring the database up to date, without serving.' },
  run: () => withStore(async () => say('The database is up to date.')),
})

const databaseUrlCommand = defineCommand({
  meta: { name: 'database-url', description: 'Print the address of the database, for psql.' },
  run() {
    const { databaseUrl, dataDir } = readConfig(process.env)
    say(databaseUrl ?? embeddedUrl(dataDir))
  },
})

const placesIn = (places: readonly string[]) => places.join(', ') || 'anywhere'
const addresses: Words = {
  type: 'positional',
  required: false,
  description: 'addresses and subnets, with spaces between',
  many: true,
}
const email = { type: 'positional', required: true, description: 'their email address' } as const
const superuser = defineCommand({
  meta: { name: 'superuser', description: 'Manage superusers, who may do everything.' },
  subCommands: {
    upsert: defineCommand({
      meta: { name: 'upsert', description: 'Create a superuser, or set a new password.' },
      args: { email, password: { type: 'positional', required: true, description: 'at least 8 characters' } },
      run: ({ args }) =>
        withStore(async (store) => {
          await upsertSuperuser(store, args.email, args.password)
          say(`Superuser ${args.email} is saved.`)
        }),
    }),
    list: defineCommand({
      meta: { name: 'list', description: 'Their email addresses, one a line.' },
      run: () => withStore(async (store) => (await listSuperusers(store)).forEach(say)),
    }),
    delete: defineCommand({
      meta: { name: 'delete', description: 'Delete a superuser.' },
      args: { email },
      run: ({ args }) =>
        withStore(async (store) => {
          await deleteSuperuser(store, args.email)
          say(`Superuser ${args.email} is deleted.`)
        }),
    }),
    ips: defineCommand({
      meta: {
        name: 'ips',
        description:
          'Set the addresses and subnets that superusers may come from; without any: from anywhere.',
      },
      args: { addresses },
      run: ({ args }) =>
        withStore(async ({ db }) => {
          const before = await setSuperuserAddresses(db, args._)
          say(`Superusers may come from ${placesIn(args._)}. Until now: ${placesIn(before)}.`)
        }),
    }),
  },
})

const given = (valueHint: string, description: string) =>
  ({ type: 'string', description, valueHint }) as const
const importCommand = defineCommand({
  meta: { name: 'import', description: 'Import collections and records, all or nothing.' },
  args: {
    schema: given('FILE', 'collections, as PocketBase exports them (JSON)'),
    fixtures: given('FILE', 'records by collection, with their ids (JSON); existing ones are replaced'),
    pocketbase: given('DIR', 'a PocketBase data directory (pb_data), into an empty store'),
    vendel: given('DIR', 'a data directory of Vendel, into an empty store'),
    'vendel-key': given('KEY', "WEBHOOK_ENCRYPTION_KEY of Vendel's environment"),
  },
  run: ({ args: { schema, fixtures, pocketbase, vendel, 'vendel-key': key } }) =>
    withCatalogStore(async (store) => {
      const progress = showProgress(process.stderr)
      const extensions = extensionsOf(readConfig(process.env))
      if ([schema ?? fixtures, pocketbase, vendel].filter(Boolean).length > 1)
        throw new UserError('Use --pocketbase or --vendel without the other options.')
      if (Boolean(vendel) !== Boolean(key)) throw new UserError('--vendel DIR needs --vendel-key KEY.')
      if (vendel) return say(await importVendel(store, extensions, vendel, key!, progress))
      if (pocketbase) return say(await importPocketBase(store, extensions, pocketbase, progress))
      if (!schema && !fixtures) {
        throw new UserError(
          'Nothing to import: give --schema FILE, --fixtures FILE or both, --pocketbase DIR, or --vendel DIR.',
        )
      }
      say(await importFiles(store, extensions, { schema, fixtures }, progress))
    }),
})

const doctorNumbers = (apply: boolean) =>
  withStore((store) => {
    const { optWords: words } = readConfig(process.env)
    return repairNumbers(store, { apply, words, say, progress: showProgress(process.stderr) })
  })

const main = defineCommand({
  meta: {
    name: 'pocketsms',
    version: packageJson.version,
    description: 'An SMS gateway that anyone can run.',
  },
  subCommands: {
    serve,
    demo: demoCommand((config) => start(config)),
    doctor: doctorCommand(doctorNumbers),
    migrate: migrateCommand,
    superuser,
    import: importCommand,
    backup: backupCommand(setting),
    restore: restoreCommand(setting),
    'database-url': databaseUrlCommand,
    agent: agentCommand,
    send: sendCommand,
    openapi: openapiCommand(() => {
      const config = readConfig(process.env)
      return {
        url: config.publicUrl,
        extensions: extensionsOf(config),
        described: [OWN_ROUTES, ...PROTOCOLS],
      }
    }),
  },
})

const WELCOME = `pocketsms ${packageJson.version}: an SMS gateway that sends through your own phones and modems.

  pocketsms demo     see it work: two simulated phones, a few texts, data of its own in ./data/demo
  pocketsms serve    run a server on http://127.0.0.1:8090, with its data in ./data
  pocketsms doctor   check what fails most: port, database, disk, clock, address, certificate
  pocketsms --help   all commands

From npm, without installing: npx pocketsms demo`

if (process.argv.length > 2) await runMain(strict(main))
else say(WELCOME)
