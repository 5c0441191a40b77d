import type { DescribedRecords, DescribedRoutes } from '../openapi/document.ts'
import { ACCOUNT, SENDING, SERVER } from '../openapi/operations.ts'
import { accountPaths } from './routes/account.ts'
import { adminPaths } from './routes/admin.ts'
import { authPaths } from './routes/auth.ts'
import { backupPaths } from './routes/backups.ts'
import { batchPaths } from './routes/batch.ts'
import { campaignPaths } from './routes/campaigns.ts'
import { DEVICES, devicePaths } from './routes/devices.ts'
import { filePaths } from './routes/files.ts'
import { readyPaths } from './routes/operations.ts'
import { pairingPaths } from './routes/pairing.ts'
import { realtimePaths } from './routes/realtime.ts'
import { recordPaths } from './routes/records.ts'
import { sentPaths } from './routes/sent.ts'
import { smsPaths } from './routes/sms.ts'
import { invitationPaths } from './routes/team/invitations.ts'
import { memberPaths } from './routes/team/members.ts'
import { userPaths } from './routes/users.ts'
import { verifyPaths } from './routes/verify.ts'
import { hookPaths } from './routes/webhooks/hooks.ts'
import { webhookPaths } from './routes/webhooks/webhooks.ts'

export const OWN_ROUTES: DescribedRoutes = {
  tags: [
    { name: SENDING, description: 'For the web app that sends.' },
    { name: DEVICES, description: 'For the program on a phone or beside a modem.' },
    { name: ACCOUNT, description: 'For the account that asks, and before it has signed in.' },
    { name: SERVER, description: 'What is about no one collection.' },
  ],
  paths: (records) => ({
    ...smsPaths(),
    ...sentPaths(),
    ...verifyPaths(),
    ...campaignPaths(),
    ...devicePaths(),
    ...pairingPaths(records.schemaOf('devices')!),
    ...collectionPaths(records),
    ...webhookPaths(),
    ...hookPaths(),
    ...accountPaths(),
    ...memberPaths(),
    ...invitationPaths(),
    ...userPaths(),
    ...batchPaths(),
    ...realtimePaths(),
    ...readyPaths(),
    ...adminPaths(),
    ...backupPaths(),
    ...filePaths(),
  }),
}

function collectionPaths({ collections, schemaOf, extensions }: DescribedRecords) {
  const paths = collections.map((collection) => {
    const record = schemaOf(collection.id)!
    const signIn = collection.type === 'auth' ? authPaths(collection, record) : {}
    return { ...recordPaths(collection, record, extensions), ...signIn }
  })
  return Object.assign({}, ...paths)
}
