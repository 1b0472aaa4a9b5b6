FROM scratch
COPY . .
