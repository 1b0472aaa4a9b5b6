/** Where archives are PUT. The secret in the query is the authorization, as with any presigned URL. */
export const UPLOAD_PATH = '/api/public/v1/app-env/upload'
