import { defineCommand, runMain } from 'citty'
import packageJson from '../../package.json' with { type: 'json' }
import { agentCommand } from '../agent/command.ts'
import { backupCommand, restoreCommand } from '../backup/command.ts'
import { sendCommand } from '../bulk/command.ts'
import { readConfig } from '../config.ts'
import { embeddedUrl } from '../db/embedded/access.ts'
import { demoCommand } from '../demo/demo.ts'
import { OWN_ROUTES } from '../http/app.ts'
import { openapiCommand } from '../openapi/document.ts'
import { PROTOCOLS } from '../protocols/protocols.ts'
import { showProgress } from '../tools/progress.ts'
import { say, strict } from './command-line.ts'
import { doctorCommand } from './doctor.ts'
import { repairNumbers } from './doctor-numbers.ts'
import { extensionsOf } from './extensions.ts'
import { importCommand } from './import-command.ts'
import { scrubCommand } from './scrub-command.ts'
import { serve } from './serve-command.ts'
import { start } from './server.ts'
import { superuser } from './superuser-command.ts'
import { setting, withStore } from './with-store.ts'

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
    scrub: scrubCommand,
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
