/** How long reading one document may take. */
export const extractWorkerSeconds = 300
