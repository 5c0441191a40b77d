import { EVERY_MINUTE, EVERY_TEN_MINUTES, type Feature } from '../base/feature.ts'
import { cleanUpPushes, pushJobs } from './push-jobs.ts'
import { addReplyMails, makeReplyMailJobs } from './reply-mails.ts'

export const NOTIFICATIONS: Feature = {
  personalData: {
    noPlaces: {
      push_hours: 'counts',
      push_subscriptions: 'browsers of people who sign in',
      reply_mails: 'times',
    },
  },
  timed: ({ store, ...services }) => [
    { id: 'pushCleanUp', ...EVERY_TEN_MINUTES, run: () => cleanUpPushes(store.db) },
    { id: 'replyMails', ...EVERY_MINUTE, run: () => addReplyMails(store.db, services) },
  ],
  queued: (services) => [
    makeReplyMailJobs((user) => services.store.forUser(user), services),
    pushJobs((user) => services.store.forUser(user), services.config, services.log),
  ],
}
