import { defineCommand } from 'citty'
import { importFiles } from '../engine/import/import-fixtures.ts'
import { importPocketBase } from '../engine/import/import-pocketbase.ts'
import { UserError } from '../platform/api-errors.ts'
import { readConfig } from '../platform/config.ts'
import { showProgress } from '../platform/tools/progress.ts'
import { printLine } from './command-line.ts'
import { collectExtensions } from './features.ts'
import { withCatalogStore } from './open-store-for-command.ts'
import { importVendel } from './vendel/import-vendel.ts'

const makeTextArg = (valueHint: string, description: string) =>
  ({ type: 'string', description, valueHint }) as const
export const importCommand = defineCommand({
  args: {
    schema: makeTextArg('FILE', 'collections, as PocketBase exports them (JSON)'),
    fixtures: makeTextArg(
      'FILE',
      'records by collection, with their ids (JSON); existing ones are replaced',
    ),
    pocketbase: makeTextArg('DIR', 'a PocketBase data directory (pb_data), into an empty store'),
    vendel: makeTextArg('DIR', 'a data directory of Vendel, into an empty store'),
    'vendel-key': makeTextArg('KEY', "WEBHOOK_ENCRYPTION_KEY of Vendel's environment"),
  },
  run: ({ args: { schema, fixtures, pocketbase, vendel, 'vendel-key': key } }) =>
    withCatalogStore(async (store) => {
      const progress = showProgress(process.stderr)
      const extensions = collectExtensions(readConfig(process.env))
      if ([schema ?? fixtures, pocketbase, vendel].filter(Boolean).length > 1)
        throw new UserError('Use --pocketbase or --vendel without the other options.')
      if (Boolean(vendel) !== Boolean(key))
        throw new UserError('--vendel DIR needs --vendel-key KEY.')
      if (vendel) return printLine(await importVendel(store, extensions, vendel, key!, progress))
      if (pocketbase)
        return printLine(await importPocketBase(store, extensions, pocketbase, progress))
      if (!schema && !fixtures) {
        throw new UserError(
          'Nothing to import: give --schema FILE, --fixtures FILE or both, --pocketbase DIR, or --vendel DIR.',
        )
      }
      printLine(await importFiles(store, extensions, { schema, fixtures }, progress))
    }),
})
