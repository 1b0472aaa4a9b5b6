-- Versions of a commit.
CREATE INDEX "content_git_commit" ON "public"."content"("account_id" ASC, "git_commit_id" ASC) WHERE git_commit_id IS NOT NULL;
