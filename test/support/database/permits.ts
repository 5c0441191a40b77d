import { makeAccountSender, type Sender } from '../../../src/gateway/base/make-sender.ts'
import { type Act, requirePermit } from '../../../src/gateway/base/permissions.ts'

/** The judge's permission for an act of the account itself. */
export const permitOf = (user: string, act: Act = 'cancel') =>
  requirePermit(makeAccountSender(user, user), act)

/** A person who owns the account, signed in when the row of the user had this version. */
export const ownerWith = (user: string, version: string): Sender => ({
  ...makeAccountSender(user, user),
  version,
})
