-- CreateEnum
CREATE TYPE "public"."SignInMethod" AS ENUM ('TOKEN', 'PASSWORD', 'PASSKEY', 'OIDC');

-- AlterEnum
ALTER TYPE "public"."TokenKind" ADD VALUE 'SESSION';

-- CreateTable
CREATE TABLE "public"."session" (
    "token_id" TEXT NOT NULL,
    "method" "public"."SignInMethod" NOT NULL,
    "idle_minutes" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "user_agent" TEXT NOT NULL,

    CONSTRAINT "session_pkey" PRIMARY KEY ("token_id")
);

-- AddForeignKey
ALTER TABLE "public"."session" ADD CONSTRAINT "session_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "public"."token"("id") ON DELETE CASCADE ON UPDATE CASCADE;
