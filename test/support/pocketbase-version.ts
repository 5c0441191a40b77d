/** The PocketBase with which answers, filters and the dashboard are compared. */
export const POCKETBASE_VERSION = 'v0.40.4'
