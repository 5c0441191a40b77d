import { type Client, must } from '../../../support/server/server-with-devices.ts'

/** The entries of consent that an account holds of a number, oldest first. */
export const entriesOf = async (account: Client, number: string) =>
  (
    await must(
      account,
      'GET',
      `/api/collections/consents/records?sort=created,@rowid&filter=${encodeURIComponent(`number = "${number}"`)}`,
    )
  ).items
