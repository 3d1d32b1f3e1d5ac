/** How long it may take to read one mail, file its attachments and judge it. */
export const inboundWorkerSeconds = 120
