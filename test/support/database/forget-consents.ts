/** Deletes what is known of people's consent. The trigger of the table lets only an erasure do so. */
export const FORGET_CONSENTS = `delete from consent_states where set_config('pocketsms.forget', 'consents', true) <> ''`
