-- CreateEnum
CREATE TYPE "public"."LogBookKind" AS ENUM ('CONTAINERS', 'BUILDS');

-- DropIndex
DROP INDEX "public"."log_book_app_env_id_key";

-- AlterTable
ALTER TABLE "public"."log_book" ADD COLUMN     "kind" "public"."LogBookKind" NOT NULL DEFAULT 'CONTAINERS';
ALTER TABLE "public"."log_book" ALTER COLUMN "kind" DROP DEFAULT;

-- CreateIndex
CREATE UNIQUE INDEX "log_book_app_env_id_kind_key" ON "public"."log_book"("app_env_id" ASC, "kind" ASC);

-- What builds have printed so far becomes lines of their environments' books of builds.
INSERT INTO "public"."log_book" ("app_env_id", "kind", "last_number")
SELECT c."app_env_id", 'BUILDS', count(*)
FROM "public"."build_log_line" l JOIN "public"."content" c ON c."id" = l."content_id"
GROUP BY c."app_env_id";

INSERT INTO "public"."container" ("container_id", "app_env_id", "content_id", "name", "phase", "started_at",
  "finished_at", "removed_at", "stdout_at", "stdout_count", "cap_used")
SELECT c."id", c."app_env_id", c."id", 'build', 'build', min(l."at"), max(l."at"), max(l."at"),
  (extract(epoch FROM max(l."at")) * 1000)::bigint * 1000000, 1, count(*)
FROM "public"."build_log_line" l JOIN "public"."content" c ON c."id" = l."content_id"
GROUP BY c."id", c."app_env_id";

INSERT INTO "public"."log_line" ("book_id", "number", "container_id", "at", "is_error", "message")
SELECT b."id", row_number() OVER (PARTITION BY c."app_env_id" ORDER BY c."version", l."sequence"), r."id",
  (extract(epoch FROM l."at") * 1000)::bigint * 1000000, false, l."message"
FROM "public"."build_log_line" l JOIN "public"."content" c ON c."id" = l."content_id"
JOIN "public"."container" r ON r."container_id" = c."id"
JOIN "public"."log_book" b ON b."app_env_id" = c."app_env_id" AND b."kind" = 'BUILDS';

-- DropTable
DROP TABLE "public"."build_log_line";
