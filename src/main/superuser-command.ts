import { defineCommand } from 'citty'
import {
  deleteSuperuser,
  listSuperusers,
  removeSuperuserFactor,
  setSuperuserAddresses,
  upsertSuperuser,
} from '../engine/auth/superusers.ts'
import { printLine, type Words } from './command-line.ts'
import { withStore } from './open-store-for-command.ts'

const formatPlaces = (places: readonly string[]) => places.join(', ') || 'anywhere'
const addresses: Words = {
  type: 'positional',
  required: false,
  description: 'addresses and subnets, with spaces between',
  many: true,
}
const email = { type: 'positional', required: true, description: 'their email address' } as const
export const superuser = defineCommand({
  subCommands: {
    upsert: defineCommand({
      meta: { name: 'upsert', description: 'Create a superuser, or set a new password.' },
      args: {
        email,
        password: { type: 'positional', required: true, description: 'at least 8 characters' },
      },
      run: ({ args }) =>
        withStore(async (store) => {
          await upsertSuperuser(store, args.email, args.password)
          printLine(`Superuser ${args.email} is saved.`)
        }),
    }),
    list: defineCommand({
      meta: { name: 'list', description: 'Their email addresses, one a line.' },
      run: () => withStore(async (store) => (await listSuperusers(store)).forEach(printLine)),
    }),
    delete: defineCommand({
      meta: { name: 'delete', description: 'Delete a superuser.' },
      args: { email },
      run: ({ args }) =>
        withStore(async (store) => {
          await deleteSuperuser(store, args.email)
          printLine(`Superuser ${args.email} is deleted.`)
        }),
    }),
    'remove-factor': defineCommand({
      meta: {
        name: 'remove-factor',
        description: 'Remove the second factor of a superuser who has lost it.',
      },
      args: { email },
      run: ({ args }) =>
        withStore(async (store) => {
          await removeSuperuserFactor(store, args.email)
          printLine(`Superuser ${args.email} signs in without a second factor.`)
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
          printLine(
            `Superusers may come from ${formatPlaces(args._)}. Until now: ${formatPlaces(before)}.`,
          )
        }),
    }),
  },
})
